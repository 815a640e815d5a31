/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sample.h: decides which blocks get a stack, and which blocks are kept at all.
 *
 * Partial stacks: every usable byte is a trial with probability 0.003, and a block gets a stack if
 * any of its bytes succeeds; sizes stay exact.
 *
 * Sampling below N: a small block is kept and stands for N bytes, or 2 N, or is not sampled. The
 * sum over all places is exact to N bytes, and each place's share is right on average, whatever the
 * allocation pattern. Blocks of N bytes and more are kept as they are.
 *
 * The generator is seeded, so two equal runs sample alike.
 *
 * Concurrency: one thread at a time per sampler. A sampler per thread, each with its own seed, is
 * fine: its estimates hold for the blocks that it saw.
 */
#ifndef DMD_RECORD_HEAP_SAMPLE_H
#define DMD_RECORD_HEAP_SAMPLE_H

#include "base/random.h"

#include <stdbool.h>

typedef struct dmd_sampler {
  bool partial;          /* partial stacks */
  uint64_t sample_below; /* N; 0: off */
  uint64_t position;     /* in the current window, below N */
  uint64_t drawn;        /* the drawn byte of this window; UINT64_MAX: already passed */
  dmd_random_t random;
  uint64_t failures; /* bytes that will fail before the next success */
} dmd_sampler_t;

typedef enum {
  DMD_SAMPLE_PASSED,       /* the block is not sampled */
  DMD_SAMPLE_STANDS,       /* it stands for sample_below bytes */
  DMD_SAMPLE_STANDS_TWICE, /* it stands for twice as many */
  DMD_SAMPLE_EXACT         /* it counts as itself */
} dmd_sample_t;

void dmd_sampler_init(dmd_sampler_t *sampler, bool partial, uint64_t sample_below, uint64_t seed);

/* How a new block of this usable size counts. */
dmd_sample_t dmd_sampler_block(dmd_sampler_t *sampler, uint64_t usable);

/* True if a new block of this usable size, one that is kept, gets a stack. */
bool dmd_sampler_stack(dmd_sampler_t *sampler, uint64_t usable);

/* ---- Sampling by --sample-interval. ----
 *
 * Each allocated byte is drawn with probability 1 / interval, and a block is kept if any of its
 * bytes is drawn. Instead of a draw per byte, the thread counts down the bytes to the next drawn
 * one; the distance is exponentially distributed and thus independent of earlier ones.
 * model/profile/profile.h says what follows for estimates. An empty block counts as one byte, since
 * it would never be sampled otherwise.
 *
 * A block that is not sampled costs one subtraction.
 *
 * Concurrency: each thread has its own. A signal handler that counts down while its thread does may
 * lose a draw, which does no harm. */

/* Zero-initialised. */
typedef struct dmd_countdown {
  uint64_t left; /* whole bytes before the next drawn one */
  bool is_drawn; /* left has been drawn */
  dmd_random_t random;
} dmd_countdown_t;

/* True if the block is certainly not sampled. Never true if sampling is off. */
static inline bool dmd_countdown_passes(dmd_countdown_t *countdown, uint64_t req) {
  uint64_t szB = req + (req == 0);
  if (__builtin_expect(countdown->left < szB, 0))
    return false;
  countdown->left -= szB;
  return true;
}

/* Decides about a block for which dmd_countdown_passes returned false; interval > 0. A thread's
 * first call starts its random sequence from the seed. */
bool dmd_countdown_keeps(dmd_countdown_t *countdown, uint64_t interval, uint64_t seed,
                         uint64_t req);

#endif
