/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sort.h: stable sorts of 32-bit ids.
 *
 * Stability is part of the output format: records that compare equal stay in the order of their
 * first blocks. dmd_sort is a merge sort, n log n in every case, with scratch memory for n ids;
 * dmd_sort_by_number is a radix sort, with a few passes whatever n is.
 */
#ifndef DMD_BASE_SORT_H
#define DMD_BASE_SORT_H

#include "base/env.h"

#include <stdint.h>

/* Negative, 0 or positive if a comes before, with or after b. */
typedef int (*dmd_compare_fn)(const void *ctx, uint32_t a, uint32_t b);

void dmd_sort(const dmd_env_t *env, uint32_t *ids, size_t n, dmd_compare_fn compare,
              const void *ctx);

/* Sorts by a number of each id, the largest first. To sort by several numbers, sort by the least
 * significant one first. Uses 32 bytes per id meanwhile. */
typedef uint64_t (*dmd_number_of_fn)(const void *ctx, uint32_t id);
void dmd_sort_by_number(const dmd_env_t *env, uint32_t *ids, size_t n, dmd_number_of_fn number,
                        const void *ctx);

/* Returns the ids 1 to n, sorted; the caller frees the array. */
uint32_t *dmd_sorted_ids(const dmd_env_t *env, uint32_t n, dmd_compare_fn compare, const void *ctx);

/* The absolute value. */
static inline uint64_t dmd_magnitude(int64_t v) {
  return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Orders larger magnitudes first. */
static inline int dmd_compare_magnitudes(int64_t a, int64_t b) {
  uint64_t x = dmd_magnitude(a), y = dmd_magnitude(b);
  return (x < y) - (x > y);
}

/* ---- Binary search. ----
 *
 * Binary search over places, which are 32-bit numbers.
 *
 * Places that satisfy a condition must precede those that do not; the search finds the first of the
 * latter, with about log n evaluations. It is a macro so that the condition is compiled in place:
 * some commands spend most of their time in searches. */

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
