/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * strbuf.h: a growing string.
 *
 * A NUL always follows the n bytes. A pointer into the text is valid until more bytes are added.
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

/* The slow path of dmd_strbuf_reserve. */
void dmd_strbuf_grow(dmd_strbuf_t *buf, size_t n);

/* Returns space for n more bytes. The caller writes to it at once, adds the bytes used to `n`, and
 * puts a NUL after them. */
static inline char *dmd_strbuf_reserve(dmd_strbuf_t *buf, size_t n) {
  if (buf->room - buf->n <= n)
    dmd_strbuf_grow(buf, n);
  return buf->text + buf->n;
}

/* Truncates to the first n bytes, which must exist. */
static inline void dmd_strbuf_cut(dmd_strbuf_t *buf, size_t n) {
  buf->n = n;
  buf->text[n] = '\0';
}

/* Instead of destroy: returns the text, which the caller frees with env. */
static inline char *dmd_strbuf_take(dmd_strbuf_t *buf) {
  return buf->text;
}

/* A dmd_write_fn; ctx is a dmd_strbuf_t. */
bool dmd_strbuf_write(void *ctx, const char *bytes, size_t n);

#endif
