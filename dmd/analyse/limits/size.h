/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * size.h: parses sizes and percentages from the command line.
 *
 *   1234   5MB   1.5 KB   10%   +64KB   +2%
 *
 * Units are B, KB, MB and GB, in upper or lower case, and are powers of 1,024, as in about:memory;
 * KiB, MiB, GiB, K, M and G mean the same. All values are integers, so that a metric that equals a
 * limit on one machine equals it on every other.
 */
#ifndef DMD_ANALYSE_LIMITS_SIZE_H
#define DMD_ANALYSE_LIMITS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_size {
  uint64_t value; /* bytes, rounded down; or millionths of a percent */
  bool is_percent;
  bool has_plus; /* it had a leading + */
} dmd_size_t;

/* Parses the whole text. Returns NULL, or what is wrong with it, to be printed after the text and a
 * colon. */
const char *dmd_size_parse(const char *text, dmd_size_t *size);

/* The size in bytes: for a percentage its share of whole (>= 0), rounded down. At most 2^62, so
 * that it can be added to any value of a profile. */
int64_t dmd_size_bytes(const dmd_size_t *size, int64_t whole);

#endif
