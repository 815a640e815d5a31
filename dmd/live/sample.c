/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sample.h"

#include "base/mem.h"

/* ln(1 - 0.003) */
static const double LN_FAILURE = -0.0030045090202987243;

/* xorshift128+ (Vigna, 2014): public domain, passes the usual tests in its upper bits. */
static uint64_t next_random(dmd_sampler_t *sampler) {
  uint64_t a = sampler->random[0], b = sampler->random[1];
  sampler->random[0] = b;
  a ^= a << 23;
  sampler->random[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
  return sampler->random[1] + b;
}

/* The natural logarithm of a positive, normal x: no libm here. x = m * 2^e with m in [1, 2), and
 * ln m = 2 artanh((m - 1) / (m + 1)), a series whose terms fall by 9 or more each. */
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

/* Failures before the first success: floor(ln u / ln(1 - p)) for u uniform in (0, 1]. */
static uint64_t draw_failures(dmd_sampler_t *sampler) {
  double u = (double)((next_random(sampler) >> 11) + 1) * (1.0 / 9007199254740992.0);
  return (uint64_t)(natural_log(u) / LN_FAILURE);
}

/* Starts a window, of which the block at hand has the first position bytes. */
static void start_window(dmd_sampler_t *sampler, uint64_t position) {
  sampler->position = position;
  sampler->drawn = next_random(sampler) % sampler->sample_below;
}

void dmd_sampler_init(dmd_sampler_t *sampler, bool partial, uint64_t sample_below, uint64_t seed) {
  sampler->partial = partial;
  sampler->sample_below = sample_below;
  sampler->random[0] = dmd_hash_u64(seed + UINT64_C(0x9e3779b97f4a7c15));
  sampler->random[1] = dmd_hash_u64(sampler->random[0] + UINT64_C(0x9e3779b97f4a7c15));
  sampler->failures = draw_failures(sampler);
  if (sample_below > 0)
    start_window(sampler, 0);
}

/* Whether the drawn byte lies before end; it is met once. */
static bool holds_drawn(dmd_sampler_t *sampler, uint64_t end) {
  if (sampler->drawn >= end)
    return false;
  sampler->drawn = UINT64_MAX;
  return true;
}

dmd_sample_t dmd_sampler_block(dmd_sampler_t *sampler, uint64_t usable) {
  if (usable >= sampler->sample_below)
    return DMD_SAMPLE_EXACT;
  uint64_t end = sampler->position + usable;
  int n = holds_drawn(sampler, end);
  if (end < sampler->sample_below) {
    sampler->position = end;
  } else {
    start_window(sampler, end - sampler->sample_below);
    n += holds_drawn(sampler, sampler->position);
  }
  return n == 0 ? DMD_SAMPLE_PASSED : n == 1 ? DMD_SAMPLE_STANDS : DMD_SAMPLE_STANDS_TWICE;
}

bool dmd_sampler_stack(dmd_sampler_t *sampler, uint64_t usable) {
  if (!sampler->partial)
    return true;
  if (sampler->failures >= usable) {
    sampler->failures -= usable;
    return false;
  }
  sampler->failures = draw_failures(sampler);
  return true;
}
