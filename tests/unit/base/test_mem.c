/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/mem.h"

static void strings_compare_like_the_c_library(void **state) {
  (void)state;
  static const char *const words[] = {"", "a", "b", "ab", "abc", "abd", "\xff", "a\xff", "a\x7f"};
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    assert_int_equal(dmd_str_length(words[i]), strlen(words[i]));
    for (size_t j = 0; j < COUNT_OF(words); j++)
      assert_int_equal(dmd_str_equal(words[i], words[j]), i == j);
  }
}

static void memory_compares_over_its_length_only(void **state) {
  (void)state;
  char a[40], b[40];
  for (size_t n = 0; n < sizeof a; n++) {
    memset(a, 'x', sizeof a);
    memset(b, 'y', sizeof b);
    memset(b, 'x', n);
    assert_true(dmd_mem_equal(a, b, n));
    assert_false(dmd_mem_equal(a, b, n + 1));
    if (n > 0) {
      b[n - 1] ^= 1;
      assert_false(dmd_mem_equal(a, b, n));
    }
  }
}

/* The first outputs of splitmix64 with the seed 1234567, as Rosetta Code lists them. The generator
 * adds this constant before it mixes. */
static void mixes_like_splitmix64(void **state) {
  (void)state;
  static const uint64_t outputs[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821)};
  uint64_t x = 1234567;
  for (size_t i = 0; i < COUNT_OF(outputs); i++)
    assert_true(dmd_hash_u64(x += UINT64_C(0x9e3779b97f4a7c15)) == outputs[i]);
}

/* The hash of some bytes is that of their copy, wherever it lies and whatever stands around it. */
static void hash_depends_on_contents_only(void **state) {
  (void)state;
  dice_t dice = {7};
  char from[64], area[96];
  for (size_t n = 0; n <= sizeof from; n++) {
    for (size_t i = 0; i < n; i++)
      from[i] = (char)dice_u64(&dice);
    uint64_t expected = dmd_hash_bytes(0, from, n);
    for (size_t at = 0; at < 16; at++) {
      memset(area, (int)dice_u64(&dice), sizeof area);
      memcpy(area + at, from, n);
      assert_true(dmd_hash_bytes(0, area + at, n) == expected);
    }
  }
}

/* Tables take the low bits: neighbours, lengths and single bits must not fall together. Of 4,096
 * hashes thrown at random into 4,096 slots, 63% of the slots are hit; less than 55% is not a hash.
 */
static void hash_spreads(void **state) {
  (void)state;
  enum { N = 4096 };
  static unsigned char hit[3][N];
  static const char zeros[N];
  memset(hit, 0, sizeof hit);
  for (uint64_t i = 0; i < N; i++) {
    hit[0][dmd_hash_u64(i << 4) % N] = 1;
    hit[1][dmd_hash_bytes(0, zeros, i) % N] = 1;
    uint32_t pair[3] = {(uint32_t)i, 1, (uint32_t)i >> 6};
    hit[2][dmd_hash_bytes(0, pair, sizeof pair) % N] = 1;
  }
  for (size_t k = 0; k < 3; k++) {
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
      n += hit[k][i];
    assert_true(n > N * 55 / 100);
  }
}

static void hash_sees_every_bit(void **state) {
  (void)state;
  char bytes[23] = {0};
  uint64_t seen[sizeof bytes * 8 + 1];
  size_t n = 0;
  seen[n++] = dmd_hash_bytes(0, bytes, sizeof bytes);
  for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
    bytes[bit / 8] = (char)(1 << bit % 8);
    seen[n++] = dmd_hash_bytes(0, bytes, sizeof bytes);
    bytes[bit / 8] = 0;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      assert_true(seen[i] != seen[j]);
}

/* The number that has this hash: undoes each step of dmd_hash_u64. */
static uint64_t number_with_hash(uint64_t h) {
  /* The multipliers' inverses modulo 2^64, by Newton's iteration. */
  static const uint64_t factors[] = {UINT64_C(0x94d049bb133111eb), UINT64_C(0xbf58476d1ce4e5b9)};
  static const unsigned shifts[] = {31, 27, 30};
  for (int i = 0; i < 3; i++) {
    h ^= h >> shifts[i] ^ h >> 2 * shifts[i];
    uint64_t inverse = 1;
    for (int k = 0; k < 6 && i < 2; k++)
      inverse *= 2 - factors[i] * inverse;
    h *= i < 2 ? inverse : 1;
  }
  return h;
}

/* With the seed one can make any number of strings that collide; with another seed they do not. */
static void hash_depends_on_the_seed(void **state) {
  (void)state;
  enum { N = 4096 };
  static unsigned char hit[N];
  size_t n = 0;
  for (uint64_t i = 0; i < N; i++) {
    uint64_t hash = i << 32 | 77, bytes = number_with_hash(number_with_hash(hash)) ^ sizeof bytes;
    assert_true(dmd_hash_bytes(0, &bytes, sizeof bytes) == hash);
    hit[dmd_hash_bytes(1, &bytes, sizeof bytes) % N] = 1;
  }
  for (size_t i = 0; i < N; i++)
    n += hit[i];
  assert_true(n > N * 55 / 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_compare_like_the_c_library),
      cmocka_unit_test(memory_compares_over_its_length_only),
      cmocka_unit_test(mixes_like_splitmix64),
      cmocka_unit_test(hash_depends_on_contents_only),
      cmocka_unit_test(hash_spreads),
      cmocka_unit_test(hash_sees_every_bit),
      cmocka_unit_test(hash_depends_on_the_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
