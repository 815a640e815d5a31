/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * random.h: pseudo-random numbers, reproducible from a seed.
 *
 * For sampling, not for secrets. Equal seeds give equal numbers on every machine.
 */
#ifndef DMD_BASE_RANDOM_H
#define DMD_BASE_RANDOM_H

#include <stdint.h>

typedef struct dmd_random {
  uint64_t state[2];
} dmd_random_t;

void dmd_random_init(dmd_random_t *random, uint64_t seed);

/* Any 64 bits. */
uint64_t dmd_random_next(dmd_random_t *random);

/* An exponentially distributed number with mean 1, above 0 and at most 36.8: P(value > x) = e^-x.
 * It is the distance between random events of constant rate. */
double dmd_random_exponential(dmd_random_t *random);

#endif
