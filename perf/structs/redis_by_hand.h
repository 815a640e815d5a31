/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * redis_by_hand.h: objects that redis' definitions do not describe, and redis.c measures: strings
 * that begin in the middle of their blocks, the contents of tables and lists, and trees whose nodes
 * are bytes to C.
 */
#ifndef PERF_STRUCTS_REDIS_BY_HAND_H
#define PERF_STRUCTS_REDIS_BY_HAND_H

#include <stddef.h>
#include <valgrind/dmd-annotations.h>

size_t sds_by_hand(const void *sds);
size_t dict_by_hand(const void *dict);
size_t list_of_sds_by_hand(const void *list);
size_t list_of_blocks_by_hand(const void *list);
size_t rax_nodes_by_hand(const void *node);
size_t rax_of_blocks_by_hand(const void *rax);
size_t rax_of_groups_by_hand(const void *rax);
size_t rax_of_consumers_by_hand(const void *rax);

#endif
