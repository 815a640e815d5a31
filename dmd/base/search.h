/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * search.h: the binary search.
 *
 * Places are numbers of 32 bits, whatever they are places of. Those for which a condition holds
 * come before those for which it does not; the first of the latter is found. The condition is
 * evaluated about log n times.
 *
 * It is a macro since its condition is then compiled in place: some searches are what a command
 * does most.
 */
#ifndef DMD_BASE_SEARCH_H
#define DMD_BASE_SEARCH_H

#include <stdint.h>

/* Sets the uint32_t `place` to the first place in from..to - 1 for which is_before, an expression
 * in `place`, is false; to `to` where there is none. */
#define DMD_SEARCH(place, from, to, is_before)                                                     \
  do {                                                                                             \
    uint32_t dmd_low_ = (from), dmd_high_ = (to);                                                  \
    while (dmd_low_ < dmd_high_) {                                                                 \
      (place) = dmd_low_ + (dmd_high_ - dmd_low_) / 2;                                             \
      if (is_before)                                                                               \
        dmd_low_ = (place) + 1;                                                                    \
      else                                                                                         \
        dmd_high_ = (place);                                                                       \
    }                                                                                              \
    (place) = dmd_low_;                                                                            \
  } while (0)

#endif
