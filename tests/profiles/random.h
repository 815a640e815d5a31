/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * random.h: profiles that use all that the format has, made of throws of somebody's dice.
 *
 * The fuzz target takes the throws from its input, the unit test from a seed.
 */
#ifndef TESTS_PROFILES_RANDOM_H
#define TESTS_PROFILES_RANDOM_H

#include "profile/profile.h"

typedef struct random_dice {
  uint64_t (*below)(void *ctx, uint64_t n); /* 0 to n - 1; n > 0 */
  void *ctx;
} random_dice_t;

/* Fills an initialised, empty profile with what can be written and read back: texts are UTF-8,
 * numbers at most 2^53, and sizes together below 2^61. */
void random_profile(dmd_profile_t *profile, const random_dice_t *dice);

#endif
