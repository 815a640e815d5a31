/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lost.h: where that part of a heap graph begins which no root reaches.
 *
 * These are the blocks that a leak check finds definitely lost if every block is one (leaks.h):
 * from them on all is reached that roots do not reach.
 */
#ifndef DMD_GRAPH_LOST_H
#define DMD_GRAPH_LOST_H

#include "base/bitset.h"
#include "graph/leaks.h"

typedef struct dmd_lost {
  const dmd_env_t *env;
  uint32_t *nodes; /* ascending */
  uint32_t n;
} dmd_lost_t;

void dmd_lost_init(dmd_lost_t *lost, const dmd_heapgraph_t *graph);
void dmd_lost_destroy(dmd_lost_t *lost);

/* Whether a node is one of them. A search of log n. */
bool dmd_lost_has(const dmd_lost_t *lost, uint32_t node);

#endif
