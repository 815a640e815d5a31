/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/format.h"

#include "base/mem.h"

/* Writes the digits of v in the given base and returns their count. Inline, so that the division
 * is by a constant. */
static inline __attribute__((always_inline)) size_t digits(char *buf, uint64_t v, unsigned base) {
  char reversed[64];
  size_t n = 0;
  do {
    reversed[n++] = "0123456789abcdef"[v % base];
    v /= base;
  } while (v != 0);
  for (size_t i = 0; i < n; i++)
    buf[i] = reversed[n - 1 - i];
  buf[n] = '\0';
  return n;
}

size_t dmd_format_str(char *buf, const char *text) {
  size_t n = dmd_str_length(text);
  dmd_mem_copy(buf, text, n + 1);
  return n;
}

size_t dmd_format_u64(char *buf, uint64_t v) {
  return digits(buf, v, 10);
}

size_t dmd_format_hex(char *buf, uint64_t v) {
  return digits(buf, v, 16);
}

/* Writes the last two digits of v, and `after`. */
static size_t two_digits(char *buf, uint64_t v, char after) {
  buf[0] = (char)('0' + v / 10 % 10);
  buf[1] = (char)('0' + v % 10);
  buf[2] = after;
  return 3;
}

/* Years begin on the first of March, so that the leap day is the last day of a year; 400 years have
 * 146,097 days. */
size_t dmd_format_time(char *buf, uint64_t seconds) {
  const uint64_t before_1970 = 719468;
  uint64_t days = seconds / 86400 + before_1970, second = seconds % 86400;
  uint64_t in_era = days % 146097;
  uint64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  uint64_t day = in_era - (365 * year + year / 4 - year / 100);
  uint64_t month = (5 * day + 2) / 153; /* 0: March */
  day -= (153 * month + 2) / 5;
  year += days / 146097 * 400 + (month >= 10);
  month = month < 10 ? month + 3 : month - 9;
  size_t n = digits(buf, year, 10);
  buf[n++] = '-';
  n += two_digits(buf + n, month, '-');
  n += two_digits(buf + n, day + 1, 'T');
  n += two_digits(buf + n, second / 3600, ':');
  n += two_digits(buf + n, second / 60 % 60, ':');
  n += two_digits(buf + n, second % 60, 'Z');
  buf[n] = '\0';
  return n;
}

size_t dmd_format_commas(char *buf, int64_t v) {
  char plain[32];
  size_t n_digits = digits(plain, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
  size_t n = 0;
  if (v < 0)
    buf[n++] = '-';
  for (size_t i = 0; i < n_digits; i++) {
    if (i > 0 && (n_digits - i) % 3 == 0)
      buf[n++] = ',';
    buf[n++] = plain[i];
  }
  buf[n] = '\0';
  return n;
}

/* mantissa * 2^exponent, exponent >= 0, by doubling a decimal number kept as digits, lowest first.
 * Slow, but exact for every double. */
static size_t digits_of_large(char *buf, uint64_t mantissa, int exponent) {
  char number[DMD_FORMAT_MAX];
  size_t n = 0;
  for (; mantissa != 0; mantissa /= 10)
    number[n++] = (char)(mantissa % 10);
  for (; exponent > 0; exponent--) {
    int carry = 0;
    for (size_t i = 0; i < n; i++) {
      int twice = number[i] * 2 + carry;
      number[i] = (char)(twice % 10);
      carry = twice / 10;
    }
    if (carry)
      number[n++] = (char)carry;
  }
  for (size_t i = 0; i < n; i++)
    buf[i] = (char)('0' + number[n - 1 - i]);
  return n;
}

size_t dmd_format_fixed(char *buf, double v, int decimals) {
  const unsigned one = decimals == 1 ? 10 : 100;
  uint64_t bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  unsigned biased = (unsigned)(bits >> 52) & 0x7ff;
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  size_t n = 0;
  if (biased == 0x7ff && mantissa != 0)
    return dmd_format_str(buf, "nan");
  if (bits >> 63)
    buf[n++] = '-';
  if (biased == 0x7ff)
    return n + dmd_format_str(buf + n, "inf");
  if (biased != 0)
    mantissa |= UINT64_C(1) << 52;
  /* The value is mantissa * 2^exponent. */
  int exponent = (int)(biased != 0 ? biased : 1) - 1075;

  uint64_t parts = 0; /* in units of 1 / one */
  if (exponent >= 0) {
    n += digits_of_large(buf + n, mantissa, exponent);
  } else {
    /* parts = round(one * mantissa / 2^shift); one * mantissa has at most 60 bits, so a shift of 62
     * or more leaves less than a quarter. */
    unsigned shift = (unsigned)-exponent;
    uint64_t scaled = mantissa * one;
    if (shift < 62) {
      parts = scaled >> shift;
      uint64_t remainder = scaled & ((UINT64_C(1) << shift) - 1);
      uint64_t half = UINT64_C(1) << (shift - 1);
      if (remainder > half || (remainder == half && (parts & 1)))
        parts++;
    }
    n += digits(buf + n, parts / one, 10);
  }
  buf[n++] = '.';
  if (decimals > 1)
    buf[n++] = (char)('0' + parts / 10 % 10);
  buf[n++] = (char)('0' + parts % 10);
  buf[n] = '\0';
  return n;
}
