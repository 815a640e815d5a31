/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/countdown.h"

static void draw(dmd_countdown_t *countdown, uint64_t interval) {
  countdown->left = (uint64_t)(dmd_random_exponential(&countdown->random) * (double)interval);
}

bool dmd_countdown_keeps(dmd_countdown_t *countdown, uint64_t interval, uint64_t seed,
                         uint64_t req) {
  if (!countdown->is_drawn) {
    dmd_random_init(&countdown->random, seed);
    draw(countdown, interval);
    countdown->is_drawn = true;
  }
  if (dmd_countdown_passes(countdown, req))
    return false;
  draw(countdown, interval);
  return true;
}
