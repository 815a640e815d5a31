/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * contents.h: waste that shows in what blocks contain: duplicates, constant blocks, and blocks
 * whose end was never written, perhaps or, with --fill=yes, certainly. The engine compared contents
 * when it wrote the graph; other graphs do not have this waste.
 */
#ifndef DMD_ANALYSE_WASTE_CONTENTS_H
#define DMD_ANALYSE_WASTE_CONTENTS_H

#include "analyse/waste/findings.h"

/* Whether the tail is certain never to have been written: new blocks were filled, and it still has
 * that content. */
static inline bool dmd_waste_is_unwritten(const dmd_heapgraph_t *graph,
                                          const dmd_graph_contents_t *contents) {
  return graph->fill != 0 && contents->byte == graph->fill;
}

void dmd_waste_find_contents(dmd_waste_t *waste);

#endif
