/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"

#include "base/mem.h"

void dmd_random_init(dmd_random_t *random, uint64_t seed) {
  random->state[0] = dmd_hash_u64(seed + UINT64_C(0x9e3779b97f4a7c15));
  random->state[1] = dmd_hash_u64(random->state[0] + UINT64_C(0x9e3779b97f4a7c15));
}

/* xorshift128+ (Vigna, 2014): public domain, passes the usual tests in its upper bits. */
uint64_t dmd_random_next(dmd_random_t *random) {
  uint64_t a = random->state[0], b = random->state[1];
  random->state[0] = b;
  a ^= a << 23;
  random->state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
  return random->state[1] + b;
}

/* The natural logarithm of a positive, normal x, since there is no libm here. x = m * 2^e with m in
 * [1, 2), and ln m = 2 artanh((m - 1) / (m + 1)), a series whose terms shrink by a factor of 9 or
 * more. */
static double natural_log(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
  double m;
  __builtin_memcpy(&m, &bits, sizeof m);
  double z = (m - 1) / (m + 1), term = z, sum = 0;
  for (int k = 1; k < 36; k += 2) {
    sum += term / k;
    term *= z * z;
  }
  return exponent * 0.69314718055994530942 + 2 * sum;
}

/* -ln u for u uniform in (0, 1]. */
double dmd_random_exponential(dmd_random_t *random) {
  double u = (double)((dmd_random_next(random) >> 11) + 1) * (1.0 / 9007199254740992.0);
  return -natural_log(u);
}
