/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rootname.h: the readable name of a root of a heap graph.
 */
#ifndef DMD_MODEL_GRAPH_ROOTNAME_H
#define DMD_MODEL_GRAPH_ROOTNAME_H

#include "base/strbuf.h"
#include "model/graph/heapgraph.h"

/* Appends the name of a root, or of DMD_GRAPH_ALL. Variables have their own: "pantry", "shelf in
 * main" on a stack, "spare of thread 2". Others are named by location, such as "data of
 * libfoo.so.1", "stack of thread 2 in main", "registers of thread 1", "roots". Names need not be
 * unique. */
void dmd_root_name(const dmd_heapgraph_t *graph, uint32_t node, dmd_strbuf_t *to);

#endif
