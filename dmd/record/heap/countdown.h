/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * countdown.h: decides which blocks --sample-interval keeps.
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
 * lose a draw, which does no harm.
 */
#ifndef DMD_RECORD_HEAP_COUNTDOWN_H
#define DMD_RECORD_HEAP_COUNTDOWN_H

#include "base/random.h"

#include <stdbool.h>

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
