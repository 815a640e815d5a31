/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "historydb/digest.h"

static void assert_digest(const void *bytes, size_t n, const char *expected) {
  unsigned char digest[DMDV_DIGEST_SZB];
  char text[DMDV_DIGEST_TEXT_SZB];
  dmdv_digest(digest, bytes, n);
  dmdv_digest_text(text, digest);
  assert_string_equal(text, expected);
}

/* The messages of NIST's examples for SHA-256 (https://csrc.nist.gov, "Cryptographic Standards and
 * Guidelines: Examples with Intermediate Values", "SHA256" and "SHA2_Additional"), with the first
 * half of their digests. */
static void digests_are_those_that_nist_publishes(void **state) {
  (void)state;
  static const unsigned char zeros[64];
  static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223");
  assert_digest(two_blocks, sizeof two_blocks - 1, "248d6a61d20638b8e5c026930c3e6039");
  assert_digest("\xbd", 1, "68325720aabd7c82f30f554b313d0570");
  assert_digest("\xc9\x8c\x8e\x55", 4, "7abc22c0ae5af26ce93dbb94433a0e0b");
  assert_digest(zeros, 55, "02779466cdec163811d078815c633f21"); /* padded to one block */
  assert_digest(zeros, 56, "d4817aa5497628e7c77e6b606107042b"); /* to two */
  assert_digest(zeros, 57, "65a16cb7861335d5ace3c60718b5052e");
  assert_digest(zeros, 64, "f5a5fd42d16a20302798ef6ed309979b");
  assert_digest(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb924");
}

static void a_million_bytes(void **state) {
  (void)state;
  enum { N = 1000000 };
  char *bytes = malloc(N);
  assert_non_null(bytes);
  memset(bytes, 'a', N);
  assert_digest(bytes, N, "cdc76e5c9914fb9281a1c7e284d73e67");
  memset(bytes, 0, N);
  assert_digest(bytes, N, "d29751f2649b32ff572b5e0a9f541ea6");
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_are_those_that_nist_publishes),
      cmocka_unit_test(a_million_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
