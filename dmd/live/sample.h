/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sample.h: which blocks get a stack, and which small blocks are kept at all.
 *
 * Partial stacks: every usable byte is a trial with a probability of 0.003, and a block gets a
 * stack if any of its bytes succeeds; sizes stay exact. Instead of a trial a byte, the number of
 * failures before the next success is drawn from its geometric distribution and counted down.
 *
 * Sampling below N: the usable bytes of blocks smaller than N, laid end to end, are cut into
 * windows of N bytes, and one byte of each window is drawn. The block that holds it is kept and
 * stands for N bytes, or for 2 N where it holds the drawn bytes of two windows; the other small
 * blocks are passed over. So the sum over all places is exact to N bytes, and each place's share is
 * right on average, whatever pattern the program allocates in (a fixed byte of each window would
 * hit the same place again and again in a loop). Blocks of N bytes and more are kept as they are.
 *
 * The generator is seeded, so that two equal runs sample alike.
 *
 * Concurrency: nothing locks; one thread at a time for each sampler. One for each thread, with
 * seeds of their own, would sample as well: what a sampler adds up is right for the blocks that it
 * saw.
 */
#ifndef DMD_LIVE_SAMPLE_H
#define DMD_LIVE_SAMPLE_H

#include "base/random.h"

#include <stdbool.h>

typedef struct dmd_sampler {
  bool partial;          /* partial stacks */
  uint64_t sample_below; /* N; 0: off */
  uint64_t position;     /* in the window at hand, below N */
  uint64_t drawn;        /* the byte drawn in it; UINT64_MAX: already passed */
  dmd_random_t random;
  uint64_t failures; /* bytes that still fail before the next success */
} dmd_sampler_t;

typedef enum {
  DMD_SAMPLE_PASSED,       /* the block does not count */
  DMD_SAMPLE_STANDS,       /* it stands for sample_below bytes */
  DMD_SAMPLE_STANDS_TWICE, /* it stands for twice as many */
  DMD_SAMPLE_EXACT         /* it counts as it is */
} dmd_sample_t;

void dmd_sampler_init(dmd_sampler_t *sampler, bool partial, uint64_t sample_below, uint64_t seed);

/* How a new block of this usable size counts. */
dmd_sample_t dmd_sampler_block(dmd_sampler_t *sampler, uint64_t usable);

/* Whether a new block of this usable size, that counts, gets a stack. */
bool dmd_sampler_stack(dmd_sampler_t *sampler, uint64_t usable);

#endif
