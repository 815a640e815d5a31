/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * size.h: sizes and percentages as people write them on a command line.
 *
 *   1234   5MB   1.5 KB   10%   +64KB   +2%
 *
 * Units are B, KB, MB and GB, in either case, and are powers of 1,024, as about:memory's are; KiB,
 * MiB and GiB mean the same, and so do K, M and G. Everything is kept in whole numbers, so that a
 * figure which equals a limit on one machine equals it on every other.
 */
#ifndef DMD_ANALYSIS_SIZE_H
#define DMD_ANALYSIS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_size {
  uint64_t value; /* bytes, a fraction of a byte cut off; or millionths of a percent */
  bool is_percent;
  bool has_plus; /* written with a leading + */
} dmd_size_t;

/* Parses the whole text. Returns NULL, or what is wrong with it, to be printed after the text and a
 * colon. */
const char *dmd_size_parse(const char *text, dmd_size_t *size);

/* The size in bytes: that of a percentage is its share of whole (at least 0), rounded down. Never
 * more than 2^62, so that it can be added to any figure of a profile. */
int64_t dmd_size_bytes(const dmd_size_t *size, int64_t whole);

#endif
