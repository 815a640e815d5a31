/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/profile/allocator.h"

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
  return dmd_allocator_usable(DMD_ALLOCATOR_GLIBC, 8, req, 1);
}

static uint64_t glibc32(uint64_t req) {
  return dmd_allocator_usable(DMD_ALLOCATOR_GLIBC, 4, req, 1);
}

static void names(void **state) {
  (void)state;
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_GLIBC), "glibc");
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_EXACT), "exact");
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_JEMALLOC), "jemalloc");
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_MOZJEMALLOC), "mozjemalloc");
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_TCMALLOC), "tcmalloc");
  assert_string_equal(dmd_allocator_name(DMD_ALLOCATOR_MIMALLOC), "mimalloc");
}

/* glibc's chunk of a small block is its usable bytes and a size field. */
static void headers(void **state) {
  (void)state;
  assert_int_equal(dmd_allocator_header(DMD_ALLOCATOR_GLIBC, 8), 8);
  assert_int_equal(dmd_allocator_header(DMD_ALLOCATOR_GLIBC, 4), 4);
  for (int i = 0; i < DMD_N_ALLOCATORS; i++)
    assert_true(i == DMD_ALLOCATOR_GLIBC || dmd_allocator_header((dmd_allocator_t)i, 8) == 0);
}

/* Walks down to the next request that wastes nothing. */
static void size_below_against_a_walk(void **state) {
  (void)state;
  dice_t dice = {17};
  for (int i = 0; i < 2000; i++) {
    dmd_allocator_t model = (dmd_allocator_t)dice_below(&dice, DMD_N_ALLOCATORS);
    uint64_t req = dice_below(&dice, i % 2 == 0 ? 300 : 40000);
    uint64_t usable = dmd_allocator_usable(model, 8, req, 1), below = req;
    while (below > 0 && dmd_allocator_usable(model, 8, below, 1) == usable)
      below--;
    if (dmd_allocator_usable(model, 8, below, 1) == usable)
      below = 0;
    assert_int_equal(dmd_allocator_size_below(model, 8, req), below);
    assert_true(below == 0 || dmd_allocator_usable(model, 8, below, 1) == below);
  }
}

static void exact_is_what_was_requested(void **state) {
  (void)state;
  dice_t dice = {131};
  for (int i = 0; i < 1000; i++) {
    uint64_t req = dice_any_size(&dice);
    assert_true(dmd_allocator_usable(DMD_ALLOCATOR_EXACT, 8, req, 1) == req);
  }
}

/* The steps of 16 are walked instead of computed: a request moves to the next step when it no
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

static uint64_t usable(dmd_allocator_t allocator, uint64_t req) {
  return dmd_allocator_usable(allocator, 8, req, 1);
}

static uint64_t aligned(dmd_allocator_t allocator, uint64_t align, uint64_t req) {
  return dmd_allocator_usable(allocator, 8, req, align);
}

static uint64_t resized(dmd_allocator_t allocator, uint64_t old_usable, uint64_t req) {
  return dmd_allocator_resized(allocator, 8, old_usable, req);
}

/* The heap's chunk is that of malloc. A mapping starts at a page: 16 bytes of head, then up to the
 * alignment, which for 32 is too near and becomes 64; then whole pages for the chunk, the
 * alignment, the smallest chunk and a word. */
static void glibc_aligned(void **state) {
  const dmd_allocator_t G = DMD_ALLOCATOR_GLIBC;
  (void)state;
  assert_int_equal(aligned(G, 8, 100), 104);
  assert_int_equal(aligned(G, 16, 100), 104);
  assert_int_equal(aligned(G, 32, 100), 104);
  assert_int_equal(aligned(G, 65536, 100), 104);
  assert_int_equal(aligned(G, 64, 200000), 200704 - 64); /* 200016 + 64 + 32 + 8: 49 pages */
  assert_int_equal(aligned(G, 32, 200000), 200704 - 64);
  assert_int_equal(aligned(G, 4096, 200000), 204800 - 4096); /* 50 pages, the first is lost */
}

static void glibc_realloc(void **state) {
  const dmd_allocator_t G = DMD_ALLOCATOR_GLIBC;
  (void)state;
  assert_int_equal(resized(G, 104, 104), 104);
  assert_int_equal(resized(G, 104, 80), 104); /* 16 bytes less are not a chunk */
  assert_int_equal(resized(G, 104, 72), 72);  /* 32 are */
  assert_int_equal(resized(G, 104, 105), 120);
  assert_int_equal(resized(G, 24, 200000), 49 * 4096 - 16);
  assert_int_equal(resized(G, 49 * 4096 - 16, 100), 4096 - 16);         /* a mapping stays one */
  assert_int_equal(resized(G, 49 * 4096 - 64, 300000), 74 * 4096 - 64); /* the first 48 are lost */
}

/* From its manual: 8, 16, 32, 48, ..., 128; 160, 192, 224, 256; 320, ...; and so on. Walked instead
 * of computed, with four steps in each doubling. */
static void jemalloc_steps(void **state) {
  (void)state;
  uint64_t class = 8, step = 8;
  for (uint64_t req = 0; req <= 1 << 20; req++) {
    if (req > class) {
      if (class == 16 || (class >= 128 && (class & (class - 1)) == 0))
        step = class <= 16 ? 16 : class / 4;
      class += step;
    }
    assert_int_equal(usable(DMD_ALLOCATOR_JEMALLOC, req), class);
    assert_int_equal(resized(DMD_ALLOCATOR_JEMALLOC, 999, req), class);
  }
}

static void jemalloc_aligned(void **state) {
  const dmd_allocator_t J = DMD_ALLOCATOR_JEMALLOC;
  (void)state;
  assert_int_equal(aligned(J, 8, 5), 8);
  assert_int_equal(aligned(J, 64, 0), 64);
  assert_int_equal(aligned(J, 64, 65), 128);
  assert_int_equal(aligned(J, 4096, 1), 4096);
  assert_int_equal(aligned(J, 4096, 12289), 16384);
  assert_int_equal(aligned(J, 8192, 1), 16384); /* large, since no small one has that alignment */
  assert_int_equal(aligned(J, 8192, 16385), 20480);
}

/* The size classes in its source. */
static void mozjemalloc_classes(void **state) {
  const dmd_allocator_t M = DMD_ALLOCATOR_MOZJEMALLOC;
  static const uint64_t facts[][2] = {{0, 8},
                                      {8, 8},
                                      {9, 16},
                                      {17, 32},
                                      {497, 512},
                                      {513, 768},
                                      {768, 768},
                                      {769, 1024},
                                      {3841, 4096},
                                      {4097, 8192},
                                      {8193, 12288},
                                      {65536, 65536},
                                      {1044481, 1048576},
                                      {1048577, 1052672}};
  (void)state;
  for (size_t i = 0; i < COUNT_OF(facts); i++)
    assert_int_equal(usable(M, facts[i][0]), facts[i][1]);
  assert_int_equal(dmd_allocator_usable(M, 4, 3, 1), 4);
  assert_int_equal(dmd_allocator_usable(M, 4, 5, 1), 8);
  assert_int_equal(aligned(M, 16, 0), 16);
  assert_int_equal(aligned(M, 512, 513), 1024);
  assert_int_equal(aligned(M, 4096, 4097), 8192);
  assert_int_equal(aligned(M, 65536, 5), 4096);
  assert_int_equal(resized(M, 8192, 100), 112);
}

/* A few classes with short computations. 448: one page of 8192 holds 18, and the 128 left over are
 * less than an eighth. 832 and 896: nine of either fit a page, so they are one class. 3328: three
 * pages hold 7, and 1280 are left; the next, 3584, would fit 6 times, and so is another class. From
 * 256 KiB on whole pages. */
static void tcmalloc_classes(void **state) {
  const dmd_allocator_t T = DMD_ALLOCATOR_TCMALLOC;
  (void)state;
  assert_int_equal(usable(T, 0), 8);
  assert_int_equal(usable(T, 9), 16);
  assert_int_equal(usable(T, 433), 448);
  assert_int_equal(usable(T, 769), 896);
  assert_int_equal(usable(T, 3073), 3328);
  assert_int_equal(usable(T, 262144), 262144);
  assert_int_equal(usable(T, 262145), 270336);
  assert_int_equal(aligned(T, 64, 0), 64);
  assert_int_equal(aligned(T, 256, 257), 512);
  assert_int_equal(aligned(T, 8192, 8193), 16384);
  assert_int_equal(aligned(T, 65536, 1), 8192);
}

/* Grows by a quarter at least, shrinks below the half. */
static void tcmalloc_realloc(void **state) {
  const dmd_allocator_t T = DMD_ALLOCATOR_TCMALLOC;
  (void)state;
  assert_int_equal(resized(T, 1024, 1024), 1024);
  assert_int_equal(resized(T, 1024, 512), 1024);
  assert_int_equal(resized(T, 1024, 511), 512);
  assert_int_equal(resized(T, 1024, 1025), 1280);
  assert_int_equal(resized(T, 1024, 1281), usable(T, 1281));
}

/* Bins as jemalloc's to 128 KiB; then pages of its own, which are slices of 64 KiB, or eight of
 * them. */
static void mimalloc_classes(void **state) {
  const dmd_allocator_t M = DMD_ALLOCATOR_MIMALLOC;
  (void)state;
  for (uint64_t req = 0; req <= 128 << 10; req++)
    assert_int_equal(usable(M, req), usable(DMD_ALLOCATOR_JEMALLOC, req));
  assert_int_equal(usable(M, (128 << 10) + 1), 192 << 10);
  assert_int_equal(usable(M, (512 << 10) + 1), 1 << 20);
  assert_int_equal(usable(M, (8 << 20) + 1), 9 << 20);
  assert_int_equal(usable(M, (16 << 20) + 1), 17 << 20);
  assert_int_equal(usable(M, (32 << 20) + 1), 36 << 20);
  assert_int_equal(resized(M, 1024, 512), 1024);
  assert_int_equal(resized(M, 1024, 511), 512);
  assert_int_equal(resized(M, 1024, 1025), 1280);
}

static void mimalloc_aligned(void **state) {
  const dmd_allocator_t M = DMD_ALLOCATOR_MIMALLOC;
  (void)state;
  assert_int_equal(aligned(M, 16, 24), 32);
  assert_int_equal(aligned(M, 16, 3), 32 - 0); /* 18 bytes; every block of 32 is aligned to 16 */
  assert_int_equal(aligned(M, 64, 64), 64);
  assert_int_equal(aligned(M, 64, 3), 80 - 48); /* 66 bytes; blocks 80 apart are 0 to 48 off */
  assert_int_equal(aligned(M, 256, 3), 320 - 192);
  assert_int_equal(aligned(M, 4096, 10000), 14336 - 2048);
  assert_int_equal(aligned(M, 65536, 100000), 192 << 10); /* a page of its own */
}

/* Only operators of the C++ library round up. */
static void aligned_new(void **state) {
  (void)state;
  assert_int_equal(dmd_allocator_new_request(DMD_ALLOCATOR_GLIBC, 100, 64), 128);
  assert_int_equal(dmd_allocator_new_request(DMD_ALLOCATOR_GLIBC, 0, 64), 64);
  assert_int_equal(dmd_allocator_new_request(DMD_ALLOCATOR_MOZJEMALLOC, 65, 64), 128);
  assert_int_equal(dmd_allocator_new_request(DMD_ALLOCATOR_JEMALLOC, 100, 64), 100);
  assert_int_equal(dmd_allocator_new_request(DMD_ALLOCATOR_EXACT, 100, 64), 100);
}

/* Over the whole range, never less than requested, and not much more. */
static void no_overflow(void **state) {
  dice_t dice = {132};
  (void)state;
  for (int i = 0; i < 300000; i++) {
    dmd_allocator_t allocator = (dmd_allocator_t)dice_below(&dice, DMD_N_ALLOCATORS);
    uint64_t word = 4 << dice_below(&dice, 2), align = (uint64_t)1 << dice_below(&dice, 64);
    uint64_t req = i % 2 ? dice_any_size(&dice) : UINT64_MAX - dice_below(&dice, 20000);
    uint64_t room = 8192 + req; /* the widest step doubles */
    uint64_t got = dmd_allocator_usable(allocator, word, req, 1);
    assert_true(got >= req && got - req <= room);
    got = dmd_allocator_usable(allocator, word, req, align);
    assert_true(got >= req && got - req <= room + 2 * align);
    uint64_t old = dmd_allocator_usable(allocator, word, dice_any_size(&dice), 1);
    got = dmd_allocator_resized(allocator, word, old, req);
    assert_true(got >= req && (got - req <= room || got <= old));
    assert_true(dmd_allocator_new_request(allocator, req, align) >= req);
  }
}

/* The model against the real allocator, if this program runs on it. The heap gives 16 bytes more
 * when the rest of a free chunk is too small to be a chunk; no block is freed here, so that there
 * are no free chunks. */
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
      cmocka_unit_test(names),
      cmocka_unit_test(headers),
      cmocka_unit_test(size_below_against_a_walk),
      cmocka_unit_test(exact_is_what_was_requested),
      cmocka_unit_test(glibc_steps),
      cmocka_unit_test(glibc_mappings),
      cmocka_unit_test(glibc_aligned),
      cmocka_unit_test(glibc_realloc),
      cmocka_unit_test(jemalloc_steps),
      cmocka_unit_test(jemalloc_aligned),
      cmocka_unit_test(mozjemalloc_classes),
      cmocka_unit_test(tcmalloc_classes),
      cmocka_unit_test(tcmalloc_realloc),
      cmocka_unit_test(mimalloc_classes),
      cmocka_unit_test(mimalloc_aligned),
      cmocka_unit_test(aligned_new),
      cmocka_unit_test(no_overflow),
      cmocka_unit_test(as_the_real_glibc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
