/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * zlib_by_hand.h: whose state a stream's is, which only zlib's own sources know.
 */
#ifndef PERF_STRUCTS_ZLIB_BY_HAND_H
#define PERF_STRUCTS_ZLIB_BY_HAND_H

#include <valgrind/dmd-annotations.h>

/* The state of inflate, which has a mode of 16180 and more where deflate has a status of some
 * hundreds. */
int is_inflating_by_hand(const void *state);

#endif
