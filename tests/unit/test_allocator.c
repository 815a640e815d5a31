/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "live/allocator.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REPLACED_MALLOC 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define REPLACED_MALLOC 1
#endif

#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8 && !defined(REPLACED_MALLOC)
#define REAL_GLIBC 1
#include <malloc.h>
#endif

static uint64_t glibc64(uint64_t req) {
  return dmd_allocator_usable(DMD_ALLOCATOR_GLIBC, 8, req);
}

static uint64_t glibc32(uint64_t req) {
  return dmd_allocator_usable(DMD_ALLOCATOR_GLIBC, 4, req);
}

static void names(void **state) {
  (void)state;
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_GLIBC), "glibc");
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_EXACT), "exact");
}

static void exact_is_what_was_requested(void **state) {
  (void)state;
  dice_t dice = {131};
  for (int i = 0; i < 1000; i++) {
    uint64_t req = dice_any_size(&dice);
    assert_true(dmd_allocator_usable(DMD_ALLOCATOR_EXACT, 8, req) == req);
  }
}

/* The steps of 16, walked along instead of computed: a request moves to the next one when it no
 * longer fits. */
static void glibc_steps(void **state) {
  (void)state;
  uint64_t usable = 24;
  for (uint64_t req = 0; req <= 131048; req++) {
    if (req > usable)
      usable += 16;
    assert_int_equal(glibc64(req), usable);
  }
  usable = 12;
  for (uint64_t req = 0; req <= 131052; req++) {
    if (req > usable)
      usable += 16;
    assert_int_equal(glibc32(req), usable);
  }
}

/* From chunks of 128 KiB on, whole pages without two words. */
static void glibc_mappings(void **state) {
  (void)state;
  assert_int_equal(glibc64(131048), 131048);         /* a chunk of 131,056: not yet */
  assert_int_equal(glibc64(131049), 33 * 4096 - 16); /* one of 131,072, plus a word: 33 pages */
  assert_int_equal(glibc64(131072), 33 * 4096 - 16);
  assert_int_equal(glibc64(135144), 33 * 4096 - 16); /* one of 135,152, plus a word: still 33 */
  assert_int_equal(glibc64(135145), 34 * 4096 - 16);
  assert_int_equal(glibc64(1 << 20), (1 << 20) + 4096 - 16);
  assert_int_equal(glibc32(131052), 131052);
  assert_int_equal(glibc32(131053), 33 * 4096 - 8);
}

/* Never less than requested, never smaller for more, for the whole range up to the end. */
static void no_overflow(void **state) {
  (void)state;
  dice_t dice = {132};
  static const uint64_t words[] = {4, 8};
  for (size_t w = 0; w < COUNT_OF(words); w++) {
    for (int i = 0; i < 100000; i++) {
      uint64_t req = i % 2 ? dice_any_size(&dice) : UINT64_MAX - dice_below(&dice, 20000);
      uint64_t usable = dmd_allocator_usable(DMD_ALLOCATOR_GLIBC, words[w], req);
      assert_true(usable >= req);
      assert_true(usable - req < 2 * 4096);
    }
    uint64_t last = UINT64_MAX;
    assert_true(dmd_allocator_usable(DMD_ALLOCATOR_GLIBC, words[w], last) == last);
  }
}

/* The model against the real one, where that is what this program runs on. The heap gives 16 bytes
 * more when what would be left of a free chunk is too small for a chunk; keeping every block keeps
 * free chunks from being there. */
static void as_the_real_glibc(void **state) {
  (void)state;
#ifdef REAL_GLIBC
  static void *blocks[3000];
  size_t n = 0;
  for (size_t req = 0; n < COUNT_OF(blocks); req += req < 2100 ? 1 : 331) {
    /* A little above the threshold a block may still come from the end of the heap. */
    if (req > 131000 && req < 300000)
      req = 300000;
    void *p = malloc(req);
    assert_non_null(p);
    blocks[n++] = p;
    assert_int_equal(malloc_usable_size(p), glibc64(req));
  }
  while (n > 0)
    free(blocks[--n]);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),       cmocka_unit_test(exact_is_what_was_requested),
      cmocka_unit_test(glibc_steps), cmocka_unit_test(glibc_mappings),
      cmocka_unit_test(no_overflow), cmocka_unit_test(as_the_real_glibc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
