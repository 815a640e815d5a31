/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * libxml2_by_hand.h: tells whether a node or the dictionary of its document owns a string.
 */
#ifndef PERF_STRUCTS_LIBXML2_BY_HAND_H
#define PERF_STRUCTS_LIBXML2_BY_HAND_H

#include <valgrind/dmd-annotations.h>

struct _xmlDoc;
int is_own_by_hand(const struct _xmlDoc *doc, const unsigned char *string);

#endif
