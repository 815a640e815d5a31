/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * countdown.h: which blocks are kept with --sample-interval.
 *
 * Each byte that a thread asks for is drawn with a probability of 1 / interval, and a block of
 * which any byte is drawn is kept. So the bytes until the next drawn one are counted down, and
 * their number is drawn anew with each block that is kept: it is exponentially distributed and
 * knows nothing of what was before, so that every block is drawn for itself. profile/sampled.h has
 * what follows from that. A block of no bytes counts as one byte, since it would else never be
 * seen.
 *
 * A block that is passed over costs a subtraction.
 *
 * Concurrency: nothing locks; each thread has its own. A signal handler that counts down while its
 * thread does may cost a draw, which nobody notices.
 */
#ifndef DMD_LIVE_COUNTDOWN_H
#define DMD_LIVE_COUNTDOWN_H

#include "base/random.h"

#include <stdbool.h>

/* All zero at first. */
typedef struct dmd_countdown {
  uint64_t left; /* whole bytes before the next drawn one */
  bool is_drawn; /* that is known */
  dmd_random_t random;
} dmd_countdown_t;

/* Whether a block is passed over for certain. Without sampling none ever is. */
static inline bool dmd_countdown_passes(dmd_countdown_t *countdown, uint64_t req) {
  uint64_t szB = req + (req == 0);
  if (__builtin_expect(countdown->left < szB, 0))
    return false;
  countdown->left -= szB;
  return true;
}

/* Whether it is kept, where that is not certain; interval > 0. The first call of a thread begins
 * its draws, which depend on the seed. */
bool dmd_countdown_keeps(dmd_countdown_t *countdown, uint64_t interval, uint64_t seed,
                         uint64_t req);

#endif
