/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/incompressible.h"

#include "base/mem.h"

#include <stdint.h>

/* The sample: N_RUNS runs of neighbouring bytes, spread over the input. */
enum { N_RUNS = 4, RUN_SZB = 256, SAMPLE_SZB = N_RUNS * RUN_SZB };

/* Thresholds for incompressible bytes: fewer than one in PAIRS pairs of bytes is equal, so that
 * each byte has at least six bits of information; and fewer than one in PLACES places repeats
 * REPEAT_SZB bytes that occurred before. */
enum { PAIRS = 64, PLACES = 10, REPEAT_SZB = 5, HASH_BITS = 10 };

static void take_sample(unsigned char sample[SAMPLE_SZB], const char *bytes, size_t n) {
  size_t gap = (n - SAMPLE_SZB) / N_RUNS;
  for (size_t run = 0; run < N_RUNS; run++)
    dmd_mem_copy(sample + run * RUN_SZB, bytes + run * (RUN_SZB + gap) + gap / 2, RUN_SZB);
}

static bool is_even(const unsigned char sample[SAMPLE_SZB]) {
  uint32_t counts[UINT8_MAX + 1] = {0}, n_equal = 0;
  for (size_t i = 0; i < SAMPLE_SZB; i++)
    n_equal += counts[sample[i]]++;
  return (uint64_t)n_equal * PAIRS < (uint64_t)SAMPLE_SZB * (SAMPLE_SZB - 1) / 2;
}

/* Remembers only the last place of each hash. */
static bool repeats(const unsigned char sample[SAMPLE_SZB]) {
  uint16_t last[1 << HASH_BITS] = {0}; /* place + 1, by hash */
  uint32_t n_repeats = 0;
  for (uint32_t i = 0; i + REPEAT_SZB <= SAMPLE_SZB; i++) {
    uint64_t here = 0, there = 0;
    dmd_mem_copy(&here, sample + i, REPEAT_SZB);
    uint16_t *before = &last[here * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS)];
    if (*before != 0) {
      dmd_mem_copy(&there, sample + *before - 1, REPEAT_SZB);
      n_repeats += here == there;
    }
    *before = (uint16_t)(i + 1);
  }
  return n_repeats * PLACES >= SAMPLE_SZB;
}

bool dmd_is_noise(const char *bytes, size_t n) {
  unsigned char sample[SAMPLE_SZB];
  if (n < SAMPLE_SZB)
    return false;
  take_sample(sample, bytes, n);
  return is_even(sample) && !repeats(sample);
}
