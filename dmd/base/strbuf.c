/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strbuf.h"

#include "base/format.h"
#include "base/mem.h"

enum { FIRST_ROOM = 64 };

void dmd_strbuf_init(dmd_strbuf_t *buf, const dmd_env_t *env) {
  *buf = (dmd_strbuf_t){.env = env, .room = FIRST_ROOM};
  buf->text = dmd_env_alloc(env, "dmd.strbuf", buf->room);
  buf->text[0] = '\0';
}

void dmd_strbuf_destroy(dmd_strbuf_t *buf) {
  dmd_env_free(buf->env, buf->text);
}

/* Makes space for n more bytes and the NUL. */
void dmd_strbuf_grow(dmd_strbuf_t *buf, size_t n) {
  size_t room = buf->room;
  while (room - buf->n <= n)
    room *= 2;
  char *text = dmd_env_alloc(buf->env, "dmd.strbuf", room);
  dmd_mem_copy(text, buf->text, buf->n);
  dmd_env_free(buf->env, buf->text);
  buf->text = text;
  buf->room = room;
}

void dmd_strbuf_bytes(dmd_strbuf_t *buf, const char *bytes, size_t n) {
  dmd_mem_copy(dmd_strbuf_reserve(buf, n), bytes, n);
  buf->n += n;
  buf->text[buf->n] = '\0';
}

void dmd_strbuf_str(dmd_strbuf_t *buf, const char *s) {
  dmd_strbuf_bytes(buf, s, dmd_str_length(s));
}

void dmd_strbuf_u64(dmd_strbuf_t *buf, uint64_t v) {
  char digits[DMD_FORMAT_MAX];
  dmd_strbuf_bytes(buf, digits, dmd_format_u64(digits, v));
}

void dmd_strbuf_i64(dmd_strbuf_t *buf, int64_t v) {
  if (v < 0)
    dmd_strbuf_str(buf, "-");
  dmd_strbuf_u64(buf, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void dmd_strbuf_hex(dmd_strbuf_t *buf, uint64_t v) {
  char digits[DMD_FORMAT_MAX];
  dmd_strbuf_bytes(buf, digits, dmd_format_hex(digits, v));
}

bool dmd_strbuf_write(void *ctx, const char *bytes, size_t n) {
  dmd_strbuf_bytes(ctx, bytes, n);
  return true;
}
