/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/zip/gzip.h against zlib: its estimate is compared with how much compressing the bytes
 * saves.
 */
#include "base/zip/gzip.h"
#include "host.h"

#include <stdio.h>
#include <zlib.h>

enum { SZB = 16 * 1024, LEVEL = 1 };

typedef void (*fill_fn)(dice_t *dice, unsigned char *bytes);

/* How many percent zlib saves. */
static double saved(const unsigned char *bytes) {
  static unsigned char out[2 * SZB];
  uLongf n = sizeof out;
  assert_int_equal(compress2(out, &n, bytes, SZB, LEVEL), Z_OK);
  return 100.0 - 100.0 * (double)n / SZB;
}

static void fill_with_bytes(dice_t *dice, unsigned char *bytes) {
  for (size_t i = 0; i < SZB; i++)
    bytes[i] = (unsigned char)dice_below(dice, 256);
}

/* Like pointers that lead anywhere. */
static void fill_with_numbers(dice_t *dice, unsigned char *bytes, uint64_t below) {
  for (size_t i = 0; i + 10 < SZB;) {
    uint64_t v = dice_below(dice, below);
    for (; v >= 0x80; v >>= 7)
      bytes[i++] = (unsigned char)(v | 0x80);
    bytes[i++] = (unsigned char)v;
  }
}

static void fill_with_large_numbers(dice_t *dice, unsigned char *bytes) {
  fill_with_numbers(dice, bytes, 2000000);
}

static void fill_with_ids(dice_t *dice, unsigned char *bytes) {
  fill_with_numbers(dice, bytes, 20000);
}

static void fill_with_small_numbers(dice_t *dice, unsigned char *bytes) {
  fill_with_numbers(dice, bytes, 16);
}

static void fill_with_one_value(dice_t *dice, unsigned char *bytes) {
  (void)dice;
  memset(bytes, 1, SZB);
}

static void fill_with_text(dice_t *dice, unsigned char *bytes) {
  size_t n = 0;
  while (n + 40 < SZB)
    n += (size_t)snprintf((char *)bytes + n, SZB - n, "{\"req\":%u,\"alloc\":%u},",
                          (unsigned)dice_below(dice, 100000), (unsigned)dice_below(dice, 20000));
}

/* Random bytes, the same again and again. */
static void fill_with_repeats(dice_t *dice, unsigned char *bytes) {
  enum { PERIOD = 200 };
  fill_with_bytes(dice, bytes);
  for (size_t i = PERIOD; i < SZB; i++)
    bytes[i] = bytes[i - PERIOD];
}

static const struct {
  fill_fn fill;
  bool is_incompressible;
} kinds[] = {
    {fill_with_bytes, true},          {fill_with_large_numbers, true}, {fill_with_ids, true},
    {fill_with_small_numbers, false}, {fill_with_one_value, false},    {fill_with_text, false},
    {fill_with_repeats, false},
};

static void it_is_what_does_not_compress(void **state) {
  (void)state;
  dice_t dice = {1};
  for (int round = 0; round < 50; round++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      unsigned char bytes[SZB] = {0};
      kinds[i].fill(&dice, bytes);
      assert_int_equal(dmd_is_incompressible((const char *)bytes, SZB), kinds[i].is_incompressible);
      if (kinds[i].is_incompressible)
        assert_true(saved(bytes) < 15);
      else
        assert_true(saved(bytes) > 30);
    }
}

/* For few bytes there is no estimate, and no bytes beyond them are read. */
static void few_bytes_are_none(void **state) {
  (void)state;
  dice_t dice = {1};
  unsigned char bytes[SZB];
  fill_with_bytes(&dice, bytes);
  for (size_t n = 0; n < 3000; n++) {
    char *copy = malloc(n > 0 ? n : 1);
    memcpy(copy, bytes, n);
    assert_int_equal(dmd_is_incompressible(copy, n), n >= 1024);
    free(copy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_what_does_not_compress),
      cmocka_unit_test(few_bytes_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
