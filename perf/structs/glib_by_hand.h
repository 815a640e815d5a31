/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glib_by_hand.h: what is in a hash table, by GLib's public functions.
 */
#ifndef PERF_STRUCTS_GLIB_BY_HAND_H
#define PERF_STRUCTS_GLIB_BY_HAND_H

#include <stddef.h>
#include <valgrind/dmd-annotations.h>

/* Of a table of strings, by strings or by numbers. */
size_t table_by_hand(const void *table);

#endif
