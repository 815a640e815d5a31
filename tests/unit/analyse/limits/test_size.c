/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "analyse/limits/size.h"

#include <stdio.h>

static void sizes_in_bytes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t bytes;
  } cases[] = {
      {"0", 0},
      {"1234", 1234},
      {"007", 7},
      {"5B", 5},
      {"1KB", 1024},
      {"512k", 524288},
      {"1M", 1048576},
      {"2G", UINT64_C(2147483648)},
      {"1kb", 1024},
      {"1 KiB", 1024},
      {"5MB", 5 * 1024 * 1024},
      {"1.5MB", 1024 * 1024 + 512 * 1024},
      {"2GB", INT64_C(2) * 1024 * 1024 * 1024},
      {"0.1KB", 102},                      /* 102.4 */
      {"0.000001MB", 1},                   /* 1.048576 */
      {"1.999999", 1},                     /* a byte has no parts */
      {"0.999999GB", INT64_C(1073740750)}, /* 1073741824 - 1073.741824, rounded down */
      {"4294967295GB", INT64_C(4294967295) << 30},
      {"4611686018427387903", (INT64_C(1) << 62) - 1},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_size_t size;
    assert_null(dmd_size_parse(cases[i].text, &size));
    assert_false(size.is_percent);
    assert_false(size.has_plus);
    assert_int_equal(dmd_size_bytes(&size, 777), cases[i].bytes);
  }
}

static void percentages(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t whole, bytes;
  } cases[] = {
      {"10%", 1000, 100},
      {"10%", 1009, 100}, /* 100.9 */
      {"10 %", 1000, 100},
      {"0%", 1000, 0},
      {"100%", 12345, 12345},
      {"250%", 10, 25},
      {"2.5%", 1000, 25},
      {"0.000001%", 100000000, 1},
      {"0.000001%", 99999999, 0},
      {"33.333333%", 300000000, 99999999},
      {"10%", 0, 0},
      {"50%", INT64_C(1) << 61, INT64_C(1) << 60},
      {"10%", INT64_C(1) << 61, INT64_C(230584300921369395)}, /* 2^61 / 10 = ...395.2 */
      {"99999.999999%", INT64_C(1) << 61, INT64_C(1) << 62},  /* more than fits */
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_size_t size;
    assert_null(dmd_size_parse(cases[i].text, &size));
    assert_true(size.is_percent);
    assert_int_equal(dmd_size_bytes(&size, cases[i].whole), cases[i].bytes);
  }
}

static void a_plus_is_noted(void **state) {
  (void)state;
  dmd_size_t size;
  assert_null(dmd_size_parse("+64KB", &size));
  assert_true(size.has_plus);
  assert_int_equal(dmd_size_bytes(&size, 0), 65536);
  assert_null(dmd_size_parse("+2%", &size));
  assert_true(size.has_plus && size.is_percent);
}

static void what_is_no_size(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      " ",
      "-1",
      "abc",
      "MB",
      "1.MB",
      ".5MB",
      "1,5MB",
      "1e3",
      "1XB",
      "1 0",
      "5%%",
      "++1",
      "1.5.5",
      "0x10",
      "1MB ",
      "1  MB",
      "1.0000001MB",
      "5TB",
      "100000%",
      "+",
      "1 \n",
      "4294967296GB",
      "4611686018427387904",
      "99999999999999999999999",
      "9223372036854775808%",
  };
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    dmd_size_t size;
    if (dmd_size_parse(texts[i], &size) == NULL)
      fail_msg("'%s' was taken", texts[i]);
  }
}

/* A percentage against the plain product, which fits for heaps below 90 MB. */
static void random_percentages(void **state) {
  (void)state;
  dice_t dice = {7};
  for (int i = 0; i < 20000; i++) {
    char text[32];
    uint64_t whole_part = dice_below(&dice, 100000), millionths = dice_below(&dice, 1000000);
    snprintf(text, sizeof text, "%u.%06u%%", (unsigned)whole_part, (unsigned)millionths);
    dmd_size_t size;
    assert_null(dmd_size_parse(text, &size));
    uint64_t heap = dice_below(&dice, 90000000);
    uint64_t expected = heap * (whole_part * 1000000 + millionths) / 100000000;
    assert_int_equal(dmd_size_bytes(&size, (int64_t)heap), expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_in_bytes),     cmocka_unit_test(percentages),
      cmocka_unit_test(a_plus_is_noted),    cmocka_unit_test(what_is_no_size),
      cmocka_unit_test(random_percentages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
