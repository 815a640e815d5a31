/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * random.h: random profiles that use every feature of the format.
 *
 * A fuzz target takes the random numbers from its input, the unit test from a seed.
 */
#ifndef TESTS_PROFILES_RANDOM_H
#define TESTS_PROFILES_RANDOM_H

#include "model/profile/profile.h"

typedef struct random_dice {
  uint64_t (*below)(void *ctx, uint64_t n); /* 0 to n - 1; n > 0 */
  void *ctx;
} random_dice_t;

/* Fills an initialised, empty profile with data that can be written and read back: texts are UTF-8,
 * numbers at most 2^53, and the sum of sizes is below 2^61. */
void random_profile(dmd_profile_t *profile, const random_dice_t *dice);

/* Adds lifetimes and the records of a peak to such a profile, or none if it is not dmd's own. */
void random_peak(dmd_profile_t *profile, const random_dice_t *dice);

/* Adds a timeline, or none. */
void random_timeline(dmd_profile_t *profile, const random_dice_t *dice);

#endif
