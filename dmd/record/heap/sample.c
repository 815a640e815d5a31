/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Partial stacks: instead of a trial per byte, the number of failures before the next success is
 * drawn from its geometric distribution and counted down.
 *
 * Sampling below N: the usable bytes of blocks smaller than N, laid end to end, are cut into
 * windows of N bytes, and one byte of each window is drawn. The block that contains it is kept and
 * stands for N bytes, or for 2 N if it contains the drawn bytes of two windows. With a fixed byte
 * in each window, a loop would hit the same place again and again.
 */
#include "record/heap/sample.h"

/* ln(1 - 0.003) */
static const double LN_FAILURE = -0.0030045090202987243;

/* Failures before the first success: floor(ln u / ln(1 - p)) for u uniform in (0, 1]. */
static uint64_t draw_failures(dmd_sampler_t *sampler) {
  return (uint64_t)(dmd_random_exponential(&sampler->random) / -LN_FAILURE);
}

/* Starts a window that begins position bytes before the end of the current block. */
static void start_window(dmd_sampler_t *sampler, uint64_t position) {
  sampler->position = position;
  sampler->drawn = dmd_random_next(&sampler->random) % sampler->sample_below;
}

void dmd_sampler_init(dmd_sampler_t *sampler, bool partial, uint64_t sample_below, uint64_t seed) {
  sampler->partial = partial;
  sampler->sample_below = sample_below;
  dmd_random_init(&sampler->random, seed);
  sampler->failures = draw_failures(sampler);
  if (sample_below > 0)
    start_window(sampler, 0);
}

/* True, once, if the drawn byte lies before end. */
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

/* ---- Sampling by --sample-interval. ---- */

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
