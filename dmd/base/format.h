/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * format.h: formats numbers as text.
 *
 * Every function writes into a buffer of at least DMD_FORMAT_MAX bytes, adds a NUL and returns the
 * length without it. Decimal results equal those of Python's format(), since records must print as
 * Mozilla's script prints them.
 */
#ifndef DMD_BASE_FORMAT_H
#define DMD_BASE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* Enough for the longest result: a double with 309 digits before the point. */
#define DMD_FORMAT_MAX 320

size_t dmd_format_u64(char *buf, uint64_t v);

/* Copies a text. */
size_t dmd_format_str(char *buf, const char *text);

/* Lower-case hexadecimal without a prefix. */
size_t dmd_format_hex(char *buf, uint64_t v);

/* A time in seconds since 1970, in ISO 8601 format and UTC: "2026-11-22T09:44:50Z". */
size_t dmd_format_time(char *buf, uint64_t seconds);

/* Thousands separated by commas: Python's "{:,d}". */
size_t dmd_format_commas(char *buf, int64_t v);

/* With 1 or 2 decimals, correctly rounded from the exact binary value, ties to even: Python's
 * "{:.1f}" and "{:.2f}". Infinities and NaNs, which are not valid percentages here, print as "inf"
 * and "nan". */
size_t dmd_format_fixed(char *buf, double v, int decimals);

static inline size_t dmd_format_fixed2(char *buf, double v) {
  return dmd_format_fixed(buf, v, 2);
}

/* 100 * part / whole as a double; 0 if whole is 0. */
static inline double dmd_percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

#endif
