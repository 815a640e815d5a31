/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glib_by_hand.h: measures the contents of a hash table, by GLib's public functions.
 */
#ifndef PERF_STRUCTS_GLIB_BY_HAND_H
#define PERF_STRUCTS_GLIB_BY_HAND_H

#include <stddef.h>
#include <valgrind/dmd-annotations.h>

/* The size of a table of strings whose keys are strings or numbers. */
size_t table_by_hand(const void *table);

#endif
