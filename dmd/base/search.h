/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * search.h: binary search over places, which are 32-bit numbers.
 *
 * Places that satisfy a condition must precede those that do not; the search finds the first of the
 * latter, with about log n evaluations. It is a macro so that the condition is compiled in place:
 * some commands spend most of their time in searches.
 */
#ifndef DMD_BASE_SEARCH_H
#define DMD_BASE_SEARCH_H

#include <stdint.h>

/* Sets the uint32_t `place` to the first place in from..to - 1 for which is_before, an expression
 * in `place`, is false, or else to `to`. */
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
