/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sqlite3_by_hand.h: what is in the hash table of tables.
 */
#ifndef PERF_STRUCTS_SQLITE3_BY_HAND_H
#define PERF_STRUCTS_SQLITE3_BY_HAND_H

#include <stddef.h>
#include <valgrind/dmd-annotations.h>

/* Of a Hash of tables: it, and these. */
size_t tables_by_hand(const void *hash);

#endif
