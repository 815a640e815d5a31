/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "host.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/format.h"

/* The buffer that a function of the module gets: exactly as large as it may ask for, so that the
 * address sanitiser sees one byte too many. */
static char *g_buf;

static int buffer_new(void **state) {
  (void)state;
  g_buf = malloc(DMD_FORMAT_MAX);
  return g_buf == NULL;
}

static int buffer_free(void **state) {
  (void)state;
  free(g_buf);
  return 0;
}

static void check(size_t length, const char *expected) {
  assert_string_equal(g_buf, expected);
  assert_int_equal(length, strlen(expected));
}

static void integers_as_printf_does(void **state) {
  (void)state;
  static const uint64_t edges[] = {0, 1, 9, 10, 15, 16, 99, 100, UINT32_MAX, INT64_MAX, UINT64_MAX};
  dice_t dice = {1};
  char expected[64];
  for (size_t i = 0; i < COUNT_OF(edges) + 20000; i++) {
    uint64_t v = i < COUNT_OF(edges) ? edges[i] : dice_any_size(&dice);
    snprintf(expected, sizeof expected, "%" PRIu64, v);
    check(dmd_format_u64(g_buf, v), expected);
    snprintf(expected, sizeof expected, "%" PRIx64, v);
    check(dmd_format_hex(g_buf, v), expected);
  }
}

/* Puts a comma before every third digit from the end, each time moving the rest along. */
static void naive_commas(char *to, int64_t v) {
  int n = sprintf(to, "%" PRId64, v);
  for (int at = n - 3; at > (v < 0 ? 1 : 0); at -= 3) {
    memmove(to + at + 1, to + at, strlen(to + at) + 1);
    to[at] = ',';
  }
}

static void times_as_strftime_does(void **state) {
  (void)state;
  /* The first second, the last ones of 1999 and of Februaries with 28 and 29 days, the year 9999.
   */
  static const uint64_t edges[] = {0,          1,          86399,       951782399,
                                   951868800,  946684799,  1709251199,  1709251200,
                                   4107542399, 4107542400, 253402300799};
  dice_t dice = {3};
  char expected[64];
  for (size_t i = 0; i < COUNT_OF(edges) + 20000; i++) {
    uint64_t v = i < COUNT_OF(edges) ? edges[i] : dice_any_size(&dice) % 253402300800;
    time_t seconds = (time_t)v;
    struct tm parts;
    assert_non_null(gmtime_r(&seconds, &parts));
    strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%SZ", &parts);
    check(dmd_format_time(g_buf, v), expected);
  }
}

static void commas(void **state) {
  (void)state;
  check(dmd_format_commas(g_buf, 0), "0");
  check(dmd_format_commas(g_buf, 999), "999");
  check(dmd_format_commas(g_buf, 1000), "1,000");
  check(dmd_format_commas(g_buf, -999), "-999");
  check(dmd_format_commas(g_buf, -1000), "-1,000");
  check(dmd_format_commas(g_buf, -123456), "-123,456");
  check(dmd_format_commas(g_buf, INT64_MAX), "9,223,372,036,854,775,807");
  check(dmd_format_commas(g_buf, INT64_MIN), "-9,223,372,036,854,775,808");
  dice_t dice = {2};
  char expected[96];
  for (size_t i = 0; i < 20000; i++) {
    int64_t v = (int64_t)dice_any_size(&dice);
    naive_commas(expected, v);
    check(dmd_format_commas(g_buf, v), expected);
  }
}

static void check_fixed2(double v) {
  char expected[DMD_FORMAT_MAX];
  snprintf(expected, sizeof expected, "%.2f", v);
  check(dmd_format_fixed2(g_buf, v), expected);
  snprintf(expected, sizeof expected, "%.1f", v);
  check(dmd_format_fixed(g_buf, v, 1), expected);
}

static void check_fixed2_around(double v) {
  check_fixed2(v);
  check_fixed2(nextafter(v, INFINITY));
  check_fixed2(nextafter(v, -INFINITY));
}

static void fixed2_by_hand(void **state) {
  (void)state;
  check(dmd_format_fixed2(g_buf, 0.0), "0.00");
  check(dmd_format_fixed2(g_buf, -0.0), "-0.00");
  check(dmd_format_fixed2(g_buf, -0.001), "-0.00");
  check(dmd_format_fixed2(g_buf, 0.125), "0.12"); /* exact ties go to the even digit */
  check(dmd_format_fixed2(g_buf, 0.375), "0.38");
  check(dmd_format_fixed2(g_buf, -2.625), "-2.62");
  check(dmd_format_fixed2(g_buf, 0.005), "0.01");    /* the double above 0.005 */
  check(dmd_format_fixed2(g_buf, 1.005), "1.00");    /* the double below 1.005 */
  check(dmd_format_fixed2(g_buf, 99.995), "100.00"); /* the double above 99.995 */
  check(dmd_format_fixed2(g_buf, 100.0), "100.00");
}

/* Only odd multiples of 1/8 lie exactly between two hundredths, of 1/4 between two tenths. */
static void fixed2_ties_and_their_neighbours(void **state) {
  (void)state;
  for (int k = -20001; k <= 20001; k += 2) {
    check_fixed2_around(k / 8.0);
    check_fixed2_around(k / 4.0);
  }
  for (double huge = 0x1p40; huge < 0x1p51; huge *= 2)
    check_fixed2_around(huge + 0.125);
  for (int k = -30000; k <= 30000; k++)
    check_fixed2_around(k / 200.0);
}

static void fixed2_powers_of_two(void **state) {
  (void)state;
  for (int e = -1074; e <= 1023; e++) {
    check_fixed2_around(ldexp(1.0, e));
    check_fixed2_around(-ldexp(1.0, e));
  }
  check_fixed2(DBL_MAX);
  check_fixed2(-DBL_MAX);
}

static void fixed2_random_bits(void **state) {
  (void)state;
  dice_t dice = {3};
  size_t n_finite = 0;
  for (size_t i = 0; i < 10000; i++) {
    uint64_t bits = dice_u64(&dice);
    double v;
    memcpy(&v, &bits, sizeof v);
    if (isfinite(v)) {
      check_fixed2(v);
      n_finite++;
    }
  }
  assert_true(n_finite > 9900);
}

static void fixed2_random_of_usual_size(void **state) {
  (void)state;
  dice_t dice = {4};
  for (size_t i = 0; i < 200000; i++) {
    double v = ldexp((double)(dice_u64(&dice) >> 11), (int)dice_below(&dice, 90) - 75);
    check_fixed2(dice_below(&dice, 2) ? v : -v);
  }
}

static void fixed2_percentages(void **state) {
  (void)state;
  dice_t dice = {5};
  for (size_t i = 0; i < 100000; i++) {
    int64_t whole = 1 + (int64_t)(dice_any_size(&dice) >> 12);
    int64_t part = (int64_t)dice_below(&dice, (uint64_t)whole + 1);
    check_fixed2(dmd_percent(part, whole));
  }
}

/* Like Python, we print no sign for NaN; the C library prints "-nan" for some. */
static void fixed2_not_a_number(void **state) {
  (void)state;
  check(dmd_format_fixed2(g_buf, INFINITY), "inf");
  check(dmd_format_fixed2(g_buf, -INFINITY), "-inf");
  check(dmd_format_fixed2(g_buf, NAN), "nan");
  check(dmd_format_fixed2(g_buf, -NAN), "nan");
}

/* One rounding, not two: 7/100 is not a double, and 100 times the nearest one is not 7. */
static void percent(void **state) {
  (void)state;
  assert_true(dmd_percent(7, 100) == 7.0);
  assert_true(dmd_percent(1, 4) == 25.0);
  assert_true(dmd_percent(-1, 4) == -25.0);
  assert_true(dmd_percent(1, -4) == -25.0);
  assert_true(dmd_percent(0, 4) == 0.0);
  assert_true(dmd_percent(5, 0) == 0.0);
  assert_true(dmd_percent(INT64_C(1) << 45, INT64_C(1) << 46) == 50.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_as_printf_does),
      cmocka_unit_test(times_as_strftime_does),
      cmocka_unit_test(commas),
      cmocka_unit_test(fixed2_by_hand),
      cmocka_unit_test(fixed2_ties_and_their_neighbours),
      cmocka_unit_test(fixed2_powers_of_two),
      cmocka_unit_test(fixed2_random_bits),
      cmocka_unit_test(fixed2_random_of_usual_size),
      cmocka_unit_test(fixed2_percentages),
      cmocka_unit_test(fixed2_not_a_number),
      cmocka_unit_test(percent),
  };
  return cmocka_run_group_tests(tests, buffer_new, buffer_free);
}
