/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * zlib_by_hand.h: finds out whether a stream's state belongs to inflate or deflate, which only
 * zlib's own sources know.
 */
#ifndef PERF_STRUCTS_ZLIB_BY_HAND_H
#define PERF_STRUCTS_ZLIB_BY_HAND_H

#include <valgrind/dmd-annotations.h>

/* True for a state of inflate: its mode is 16180 or more, where deflate has a status of a few
 * hundred. */
int is_inflating_by_hand(const void *state);

#endif
