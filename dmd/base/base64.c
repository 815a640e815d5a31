/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base64.h"

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
