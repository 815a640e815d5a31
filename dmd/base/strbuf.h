/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * strbuf.h: a string that grows as text is added to it.
 *
 * There is always a NUL after the n bytes. A pointer into the text is good until the next bytes are
 * added.
 */
#ifndef DMD_BASE_STRBUF_H
#define DMD_BASE_STRBUF_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_strbuf {
  const dmd_env_t *env;
  char *text;
  size_t n, room;
} dmd_strbuf_t;

void dmd_strbuf_init(dmd_strbuf_t *buf, const dmd_env_t *env);
void dmd_strbuf_destroy(dmd_strbuf_t *buf);

void dmd_strbuf_bytes(dmd_strbuf_t *buf, const char *bytes, size_t n);
void dmd_strbuf_str(dmd_strbuf_t *buf, const char *s);
void dmd_strbuf_u64(dmd_strbuf_t *buf, uint64_t v);
void dmd_strbuf_i64(dmd_strbuf_t *buf, int64_t v);
void dmd_strbuf_hex(dmd_strbuf_t *buf, uint64_t v); /* without a prefix */

/* The slow part of dmd_strbuf_reserve. */
void dmd_strbuf_grow(dmd_strbuf_t *buf, size_t n);

/* Room for n more bytes, to be written to at once; those that are used are counted in `n`
 * afterwards, with the NUL behind them. */
static inline char *dmd_strbuf_reserve(dmd_strbuf_t *buf, size_t n) {
  if (buf->room - buf->n <= n)
    dmd_strbuf_grow(buf, n);
  return buf->text + buf->n;
}

/* Keeps only the first n bytes; there must be at least n. */
static inline void dmd_strbuf_cut(dmd_strbuf_t *buf, size_t n) {
  buf->n = n;
  buf->text[n] = '\0';
}

/* In place of destroy: ends the buffer and returns its text, which the caller frees with env. */
static inline char *dmd_strbuf_take(dmd_strbuf_t *buf) {
  return buf->text;
}

/* A dmd_write_fn; ctx is a dmd_strbuf_t. */
bool dmd_strbuf_write(void *ctx, const char *bytes, size_t n);

#endif
