/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/size.h"

#include "base/limits.h"
#include "base/str.h"
#include <stddef.h>

enum { MAX_DECIMALS = 6, MILLION = 1000000 };

static const uint64_t MAX_PERCENT = 100000;

static const struct {
  const char *name;
  uint64_t bytes; /* 0: a percentage */
} units[] = {
    {"", 1},           {"B", 1},         {"%", 0},          {"KB", 1u << 10},
    {"MB", 1u << 20},  {"GB", 1u << 30}, {"KiB", 1u << 10}, {"MiB", 1u << 20},
    {"GiB", 1u << 30}, {"K", 1u << 10},  {"M", 1u << 20},   {"G", 1u << 30},
};
enum { N_UNITS = sizeof units / sizeof units[0] };

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Reads digits; returns a number below 2^63, or -1. */
static int64_t read_whole(const char **s) {
  int64_t v = 0;
  for (; is_digit(**s); ++*s) {
    if (v >= INT64_MAX / 10 - 1)
      return -1;
    v = 10 * v + (**s - '0');
  }
  return v;
}

/* Reads the digits after a point as millionths; -1 for no digit or too many. */
static int64_t read_millionths(const char **s) {
  int64_t v = 0, n = 0;
  for (; is_digit(**s); ++*s, n++)
    if (n < MAX_DECIMALS)
      v = 10 * v + (**s - '0');
  if (n == 0 || n > MAX_DECIMALS)
    return -1;
  for (; n < MAX_DECIMALS; n++)
    v *= 10;
  return v;
}

const char *dmd_size_parse(const char *text, dmd_size_t *size) {
  const char *s = text;
  *size = (dmd_size_t){.has_plus = *s == '+'};
  if (size->has_plus)
    s++;
  if (!is_digit(*s))
    return "this is not a size; sizes look like 4096, 1.5MB or 10%";
  int64_t whole = read_whole(&s), millionths = 0;
  if (*s == '.') {
    s++;
    millionths = read_millionths(&s);
  }
  if (millionths < 0)
    return "there must be one to six digits after the point";
  if (*s == ' ')
    s++;
  int unit = 0;
  while (unit < N_UNITS && !dmd_str_equal_ignoring_case(s, units[unit].name))
    unit++;
  if (unit == N_UNITS)
    return "the unit is not one of B, KB, MB, GB and %";
  size->is_percent = units[unit].bytes == 0;
  if (whole < 0 ||
      (uint64_t)whole >= (size->is_percent ? MAX_PERCENT : DMD_MAX_SIZE / units[unit].bytes))
    return size->is_percent ? "this is 100000% or more"
                            : "this is " DMD_MAX_SIZE_TEXT " bytes or more";
  if (size->is_percent)
    size->value = (uint64_t)whole * MILLION + (uint64_t)millionths;
  else
    size->value =
        (uint64_t)whole * units[unit].bytes + (uint64_t)millionths * units[unit].bytes / MILLION;
  return NULL;
}

int64_t dmd_size_bytes(const dmd_size_t *size, int64_t whole) {
  if (!size->is_percent)
    return (int64_t)size->value;
  /* floor(whole * value / 10^8) without a product of more than 64 bits: the value is below 10^11,
   * so its product with the remainder fits. */
  const uint64_t per = UINT64_C(100) * MILLION;
  uint64_t quotient = (uint64_t)whole / per, remainder = (uint64_t)whole % per;
  uint64_t part = remainder * size->value / per;
  if (size->value > 0 && quotient > (DMD_MAX_SIZE - part) / size->value)
    return (int64_t)DMD_MAX_SIZE;
  return (int64_t)(quotient * size->value + part);
}
