/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sqlite3_by_hand.h: measures the contents of the hash table of tables.
 */
#ifndef PERF_STRUCTS_SQLITE3_BY_HAND_H
#define PERF_STRUCTS_SQLITE3_BY_HAND_H

#include <stddef.h>
#include <valgrind/dmd-annotations.h>

/* The size of a Hash of tables, and of these tables. */
size_t tables_by_hand(const void *hash);

#endif
