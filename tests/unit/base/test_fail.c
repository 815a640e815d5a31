/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"

static void the_place_is_forgotten(void **state) {
  (void)state;
  dmd_fail_t fail = {.line = 3, .byte = 17, .has_byte = true};
  assert_false(dmd_fail(&fail, "%s is %d", "one", 1));
  assert_string_equal(fail.reason, "one is 1");
  assert_true(fail.line == 0 && fail.byte == 0 && !fail.has_byte);
}

/* Reasons are formatted as the C library formats them. */
#define CHECK(...)                                                                                 \
  do {                                                                                             \
    dmd_fail_t fail;                                                                               \
    char expected[sizeof fail.reason];                                                             \
    snprintf(expected, sizeof expected, __VA_ARGS__);                                              \
    dmd_fail(&fail, __VA_ARGS__);                                                                  \
    assert_string_equal(fail.reason, expected);                                                    \
  } while (0)

static void random_against_snprintf(void **state) {
  (void)state;
  static const char text[] = "a text that is longer than forty bytes, to be cut off there or not";
  dice_t dice = {5};
  for (int i = 0; i < 2000; i++) {
    uint64_t v = dice_any_size(&dice);
    const char *s = text + dice_below(&dice, sizeof text);
    CHECK("%s", s);
    CHECK("trace id \"%.40s\" is not in \"traceTable\"", s);
    CHECK("'%c' found where %s should be", (char)('!' + v % 90), s);
    CHECK("a byte 0x%02x found where %s should be", (unsigned)(v & 0xff), s);
    CHECK("values nest deeper than %d, or %d", (int)v, -(int)(v & 0xfff));
    CHECK("%llu and %zu, %" PRIu64 " or %" PRIu32, (unsigned long long)v, (size_t)v, v,
          (uint32_t)v);
    CHECK("from %.0f to %.0f", -(double)(v >> 11) - 1, (double)(v >> 11));
    CHECK("%u%%", (unsigned)v);
    CHECK("%ld %lld", (long)v, (long long)v);
  }
  CHECK("no conversion%s", "");
}

static void long_reasons_are_cut_off(void **state) {
  (void)state;
  char text[400];
  memset(text, 'x', sizeof text);
  for (size_t n = 190; n < 300; n++) {
    char expected[400];
    text[n] = '\0';
    strcpy(expected, text);
    strcat(expected, "1234567");
    expected[199] = '\0';
    dmd_fail_t fail;
    dmd_fail(&fail, "%s%d", text, 1234567);
    assert_string_equal(fail.reason, expected);
    text[n] = 'x';
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_place_is_forgotten),
      cmocka_unit_test(random_against_snprintf),
      cmocka_unit_test(long_reasons_are_cut_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
