/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * out.h: a buffered sink for text, over a write function of the host.
 *
 * Initialise a sink, write to it, and flush it once at the end; there is nothing to free. After the
 * first failed write the rest is dropped and dmd_out_flush returns false: callers check once.
 */
#ifndef DMD_BASE_OUT_H
#define DMD_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes all n bytes, or returns false. */
typedef bool (*dmd_write_fn)(void *ctx, const char *bytes, size_t n);

typedef struct dmd_out {
  dmd_write_fn write;
  void *ctx;
  bool failed;
  bool was_bare; /* state of the flushed part of this line, see dmd_out_safe */
  char last;     /* last byte flushed */
  size_t used;
  char buffer[4096];
} dmd_out_t;

void dmd_out_init(dmd_out_t *out, dmd_write_fn write, void *ctx);

/* Passes buffered bytes to the host. Returns false if any write failed so far. */
bool dmd_out_flush(dmd_out_t *out);

void dmd_out_bytes(dmd_out_t *out, const char *bytes, size_t n);
void dmd_out_str(dmd_out_t *out, const char *s);
void dmd_out_u64(dmd_out_t *out, uint64_t v);

/* The buffer is never left full. */
static inline void dmd_out_char(dmd_out_t *out, char c) {
  out->buffer[out->used++] = c;
  if (out->used == sizeof out->buffer)
    dmd_out_flush(out);
}

/* Writes an untrusted string from a program, a symbol table or a file. Unsafe characters
 * (dmd_utf8_is_unsafe) and bytes that are not UTF-8 become \xNN, so that no terminal obeys them
 * and no text passes for another. CI runners obey commands in logs;
 * neither of these can result from such a string and the text before it:
 *
 *   ::error::        a line that begins with "::", after any white space: GitHub's runner
 *   ##[error]        "##" anywhere in a line: GitHub's runner, Azure's agent ("##vso["), TeamCity
 *
 * The first colon of a line, white space beyond ASCII before it, and the second '#' become \xNN,
 * too. (actions/runner, ActionCommand.cs, TryParseV2 and TryParse.) */
void dmd_out_safe(dmd_out_t *out, const char *s);

/* Like dmd_out_safe, for the first n bytes of s, none of which is NUL. */
void dmd_out_safe_n(dmd_out_t *out, const char *s, size_t n);

/* Writes text in a column of the given width, padded with spaces on the other side. */
void dmd_out_left(dmd_out_t *out, const char *s, size_t width);
void dmd_out_right(dmd_out_t *out, const char *s, size_t width);

/* ---- Base64. ----
 *
 * Encodes bytes as Base64 on their way to a write function.
 *
 * Lines have 4096 characters: readers skip line ends, while editors and mail programs cannot handle
 * one line of hundreds of megabytes. Only the bytes in transit are buffered. */

enum { DMD_BASE64_LINE = 4096 };

typedef struct dmd_base64 {
  dmd_out_t out;
  uint32_t bits, n_bits; /* not yet written */
  uint32_t in_line;      /* characters */
} dmd_base64_t;

/* Must not move until it has ended. */
void dmd_base64_init(dmd_base64_t *base64, dmd_write_fn write, void *ctx);

/* A dmd_write_fn; ctx is a dmd_base64_t. */
bool dmd_base64_write(void *ctx, const char *bytes, size_t n);

/* Writes the rest. Returns false if any write failed. */
bool dmd_base64_end(dmd_base64_t *base64);

#endif
