/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lost.h: the nodes where the unreachable part of a heap graph begins.
 *
 * These are the blocks that a leak check finds definitely lost if every node counts as a block
 * (leaks.h): everything that roots do not reach can be reached from them.
 */
#ifndef DMD_ANALYSE_GRAPH_LOST_H
#define DMD_ANALYSE_GRAPH_LOST_H

#include "analyse/graph/leaks.h"
#include "base/bitset.h"

typedef struct dmd_lost {
  const dmd_env_t *env;
  uint32_t *nodes; /* ascending */
  uint32_t n;
} dmd_lost_t;

void dmd_lost_init(dmd_lost_t *lost, const dmd_heapgraph_t *graph);
void dmd_lost_destroy(dmd_lost_t *lost);

/* True if a node is one of them. Binary search. */
bool dmd_lost_has(const dmd_lost_t *lost, uint32_t node);

#endif
