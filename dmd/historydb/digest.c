/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The names are those of FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
 */
#include "historydb/digest.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK_SZB = 64, LENGTH_SZB = 8 };

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static void put(unsigned char *to, uint32_t x) {
  for (int i = 0; i < 4; i++)
    to[i] = (unsigned char)(x >> (24 - 8 * i));
}

static uint32_t get(const unsigned char *from) {
  return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static void schedule(uint32_t W[64], const unsigned char block[BLOCK_SZB]) {
  for (int t = 0; t < 16; t++)
    W[t] = get(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t x = W[t - 15], y = W[t - 2];
    W[t] = (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10) + W[t - 7] +
           (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + W[t - 16];
  }
}

/* s holds the working variables a to h. */
static void add_block(uint32_t H[8], const unsigned char block[BLOCK_SZB]) {
  uint32_t W[64], s[8];
  schedule(W, block);
  memcpy(s, H, sizeof s);
  for (int t = 0; t < 64; t++) {
    uint32_t T1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                  ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[t] + W[t];
    uint32_t T2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += T1;
    s[0] = T1 + T2;
  }
  for (int i = 0; i < 8; i++)
    H[i] += s[i];
}

void dmdv_digest(unsigned char digest[DMDV_DIGEST_SZB], const void *bytes, size_t n) {
  uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char *at = bytes;
  uint64_t n_bits = (uint64_t)n * 8;
  unsigned char end[2 * BLOCK_SZB] = {0};
  for (; n >= BLOCK_SZB; n -= BLOCK_SZB, at += BLOCK_SZB)
    add_block(H, at);
  size_t end_szB = n + 1 + LENGTH_SZB <= BLOCK_SZB ? BLOCK_SZB : 2 * BLOCK_SZB;
  if (n > 0)
    memcpy(end, at, n);
  end[n] = 0x80;
  put(end + end_szB - 8, (uint32_t)(n_bits >> 32));
  put(end + end_szB - 4, (uint32_t)n_bits);
  for (size_t i = 0; i < end_szB; i += BLOCK_SZB)
    add_block(H, end + i);
  for (int i = 0; i < DMDV_DIGEST_SZB / 4; i++)
    put(digest + 4 * i, H[i]);
}

void dmdv_digest_text(char text[DMDV_DIGEST_TEXT_SZB],
                      const unsigned char digest[DMDV_DIGEST_SZB]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < DMDV_DIGEST_SZB; i++) {
    text[2 * i] = digits[digest[i] >> 4];
    text[2 * i + 1] = digits[digest[i] & 15];
  }
  text[2 * DMDV_DIGEST_SZB] = '\0';
}
