/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * random.h: numbers that look drawn by chance, the same again from the same seed.
 *
 * For samples, not for secrets. Equal runs with equal seeds draw alike, on every machine.
 *
 * Concurrency: nothing locks; one thread at a time for each source.
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

/* Above 0, at most 36.8, and 1 on average: the time until something happens for which each moment
 * is as good as any other. P(value > x) = e^-x. */
double dmd_random_exponential(dmd_random_t *random);

#endif
