/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rootname.h: what people know a root of a heap graph by.
 */
#ifndef DMD_GRAPH_ROOTNAME_H
#define DMD_GRAPH_ROOTNAME_H

#include "base/strbuf.h"
#include "graph/heapgraph.h"

/* Appends the name of a root, or of DMD_GRAPH_ALL: of a variable its own, such as "pantry", "shelf
 * in main" on a stack, "spare of thread 2"; else where it is, such as "data of libfoo.so.1", "stack
 * of thread 2 in main", "registers of thread 1", "roots". Several roots may have one name. */
void dmd_root_name(const dmd_heapgraph_t *graph, uint32_t node, dmd_strbuf_t *to);

#endif
