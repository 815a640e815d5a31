/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/out.h"

#include "base/format.h"
#include "base/mem.h"
#include "base/utf8.h"

void dmd_out_init(dmd_out_t *out, dmd_write_fn write, void *ctx) {
  out->write = write;
  out->ctx = ctx;
  out->failed = false;
  out->was_bare = true;
  out->last = '\n';
  out->used = 0;
}

/* Whether the line has only white space and colons so far. */
static bool is_bare(const dmd_out_t *out) {
  for (size_t i = out->used; i > 0; i--) {
    char c = out->buffer[i - 1];
    if (c == '\n')
      return true;
    if (c != ' ' && c != '\t' && c != ':')
      return false;
  }
  return out->was_bare;
}

bool dmd_out_flush(dmd_out_t *out) {
  if (out->used == 0)
    return !out->failed;
  if (!out->failed)
    out->failed = !out->write(out->ctx, out->buffer, out->used);
  out->was_bare = is_bare(out);
  out->last = out->buffer[out->used - 1];
  out->used = 0;
  return !out->failed;
}

/* Most writes are words and numbers, for which a call of memcpy would cost more than the copy. */
static void copy_few(char *to, const char *from, size_t n) {
  for (; n >= 8; n -= 8, to += 8, from += 8)
    __builtin_memcpy(to, from, 8);
  for (; n > 0; n--)
    *to++ = *from++;
}

void dmd_out_bytes(dmd_out_t *out, const char *bytes, size_t n) {
  if (n < 64 && n < sizeof out->buffer - out->used) {
    copy_few(out->buffer + out->used, bytes, n);
    out->used += n;
    return;
  }
  while (n > 0) {
    size_t room = sizeof out->buffer - out->used;
    size_t part = n < room ? n : room;
    dmd_mem_copy(out->buffer + out->used, bytes, part);
    out->used += part;
    bytes += part;
    n -= part;
    if (out->used == sizeof out->buffer)
      dmd_out_flush(out);
  }
}

void dmd_out_str(dmd_out_t *out, const char *s) {
  dmd_out_bytes(out, s, dmd_str_length(s));
}

void dmd_out_u64(dmd_out_t *out, uint64_t v) {
  char buf[DMD_FORMAT_MAX];
  dmd_out_bytes(out, buf, dmd_format_u64(buf, v));
}

/* Whether the well-formed sequence at s could become part of a command. */
static bool is_command(const dmd_out_t *out, const char *s) {
  if (*s == '#')
    return (out->used > 0 ? out->buffer[out->used - 1] : out->last) == '#';
  return (*s == ':' || dmd_utf8_is_wide_space(s)) && is_bare(out);
}

void dmd_out_safe_n(dmd_out_t *out, const char *s, size_t n) {
  for (const char *end = s + n; s < end;) {
    size_t length = dmd_utf8_length(s);
    if (length > 0 && length <= (size_t)(end - s) && !dmd_utf8_is_unsafe(s) &&
        !is_command(out, s)) {
      dmd_out_bytes(out, s, length);
      s += length;
      continue;
    }
    unsigned char c = (unsigned char)*s++;
    dmd_out_str(out, "\\x");
    dmd_out_char(out, "0123456789abcdef"[c >> 4]);
    dmd_out_char(out, "0123456789abcdef"[c & 15]);
  }
}

void dmd_out_safe(dmd_out_t *out, const char *s) {
  dmd_out_safe_n(out, s, dmd_str_length(s));
}

static void pad(dmd_out_t *out, size_t used, size_t width) {
  for (; used < width; used++)
    dmd_out_char(out, ' ');
}

void dmd_out_left(dmd_out_t *out, const char *s, size_t width) {
  dmd_out_str(out, s);
  pad(out, dmd_str_length(s), width);
}

void dmd_out_right(dmd_out_t *out, const char *s, size_t width) {
  pad(out, dmd_str_length(s), width);
  dmd_out_str(out, s);
}

/* ---- Base64. ---- */

enum { BITS = 6, IN_GROUP = 4 };

void dmd_base64_init(dmd_base64_t *base64, dmd_write_fn write, void *ctx) {
  dmd_out_init(&base64->out, write, ctx);
  base64->bits = base64->n_bits = base64->in_line = 0;
}

static void put(dmd_base64_t *base64, char c) {
  dmd_out_char(&base64->out, c);
  if (++base64->in_line < DMD_BASE64_LINE)
    return;
  dmd_out_char(&base64->out, '\n');
  base64->in_line = 0;
}

/* Writes the next 6 bits; missing bits are 0. */
static void put_digit(dmd_base64_t *base64) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t missing = base64->n_bits < BITS ? BITS - base64->n_bits : 0;
  uint32_t bits = base64->bits << missing;
  base64->n_bits += missing;
  base64->n_bits -= BITS;
  put(base64, digits[bits >> base64->n_bits & 0x3f]);
}

bool dmd_base64_write(void *ctx, const char *bytes, size_t n) {
  dmd_base64_t *base64 = ctx;
  for (size_t i = 0; i < n; i++) {
    base64->bits = base64->bits << 8 | (unsigned char)bytes[i];
    base64->n_bits += 8;
    while (base64->n_bits >= BITS)
      put_digit(base64);
  }
  return !base64->out.failed;
}

bool dmd_base64_end(dmd_base64_t *base64) {
  if (base64->n_bits > 0)
    put_digit(base64);
  while (base64->in_line % IN_GROUP != 0)
    put(base64, '=');
  return dmd_out_flush(&base64->out);
}
