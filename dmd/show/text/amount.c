/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/amount.h"

#include "base/format.h"
#include "base/sort.h"

static size_t put_digits2(char *buf, unsigned v) {
  buf[0] = (char)('0' + v / 10 % 10);
  buf[1] = (char)('0' + v % 10);
  return 2;
}

/* Writes hundredths. The sign is separate, so that negative amounts that round to zero keep it. */
static size_t put_hundredths(char *buf, bool negative, uint64_t hundredths) {
  char number[DMD_FORMAT_MAX];
  dmd_format_commas(number, (int64_t)(hundredths / 100));
  size_t n = dmd_format_str(buf, negative ? "-" : "");
  n += dmd_format_str(buf + n, number);
  n += dmd_format_str(buf + n, ".");
  return n + put_digits2(buf + n, (unsigned)(hundredths % 100));
}

/* A size in hundredths of 2^shift bytes. */
static uint64_t hundredths_of(uint64_t szB, unsigned shift) {
  uint64_t unit = UINT64_C(1) << shift;
  return (szB >> shift) * 100 + (((szB & (unit - 1)) * 100 + unit / 2) >> shift);
}

size_t dmd_format_amount(char buf[DMD_AMOUNT_MAX], int64_t amount, dmd_memreport_units_t units,
                         bool verbose) {
  enum { KB_SHIFT = 10, MB_SHIFT = 20 };
  uint64_t size = dmd_magnitude(amount);
  if (units == DMD_MEMREPORT_PERCENTAGE) {
    size_t n = put_hundredths(buf, amount < 0, size);
    return n + dmd_format_str(buf + n, "%");
  }
  if (units == DMD_MEMREPORT_BYTES && !verbose) {
    uint64_t in_mb = hundredths_of(size, MB_SHIFT), in_kb = hundredths_of(size, KB_SHIFT);
    bool is_small = in_mb == 0 && in_kb > 0;
    if (is_small || in_mb > 0 || size == 0) {
      size_t n = put_hundredths(buf, amount < 0, is_small ? in_kb : in_mb);
      return n + dmd_format_str(buf + n, is_small ? " KB" : " MB");
    }
  }
  char number[DMD_FORMAT_MAX];
  dmd_format_commas(number, amount);
  size_t n = dmd_format_str(buf, number);
  return n + dmd_format_str(buf + n, units == DMD_MEMREPORT_BYTES ? " B" : "");
}

/* part / whole * 10^digits, rounded. This is a long division in which ten times the whole must not
 * overflow, so the last bits are dropped from 2^59 on. */
static uint64_t scaled_ratio(uint64_t part, uint64_t whole, int digits) {
  while (whole >> 59 != 0) {
    whole >>= 1;
    part >>= 1;
  }
  uint64_t ratio = part / whole, remainder = part % whole;
  for (; digits > 0; digits--) {
    remainder *= 10;
    ratio = ratio * 10 + remainder / whole;
    remainder %= whole;
  }
  return ratio + (remainder * 2 >= whole);
}

void dmd_format_share(char buf[DMD_AMOUNT_MAX], int64_t part, int64_t whole) {
  uint64_t p = dmd_magnitude(part), w = dmd_magnitude(whole);
  size_t n = dmd_format_str(buf, w > 0 && (part < 0) != (whole < 0) && part != 0 ? "-" : "");
  if (w == 0) {
    n += dmd_format_str(buf + n, "100.0");
  } else if (p / w >= UINT64_C(1000000000000)) {
    /* Too large for the digits below; such a part is marked as wrong anyway. */
    char number[DMD_FORMAT_MAX];
    dmd_format_fixed(number, 100.0 * (double)p / (double)w, 1);
    n += dmd_format_str(buf + n, number);
  } else if (scaled_ratio(p, w, 4) >= 10000) {
    uint64_t tenths = scaled_ratio(p, w, 3);
    char number[DMD_FORMAT_MAX];
    dmd_format_u64(number, tenths / 10);
    n += dmd_format_str(buf + n, number);
    buf[n++] = '.';
    buf[n++] = (char)('0' + tenths % 10);
  } else {
    unsigned hundredths = (unsigned)scaled_ratio(p, w, 4);
    n += put_digits2(buf + n, hundredths / 100);
    buf[n++] = '.';
    n += put_digits2(buf + n, hundredths % 100);
  }
  dmd_format_str(buf + n, "%");
}
