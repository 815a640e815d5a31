/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * edgename.h: the readable name of an edge of a heap graph: the member or element that points.
 */
#ifndef DMD_ANALYSE_GRAPH_EDGENAME_H
#define DMD_ANALYSE_GRAPH_EDGENAME_H

#include "analyse/graph/typing.h"

/* Appends the name of an edge in its node: "postings", "ht_table[0]", "[17].key", or "+0x10" if no
 * member or element is known to begin there. For a variable, its name comes first: "server.db",
 * "table[3]", or "jar" for the variable itself. For other roots, and for edges of DMD_GRAPH_ALL, it
 * is the root's name. */
void dmd_edge_name(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to);

/* Appends the name as the next part of a C expression, of which `to` contains the part up to this
 * edge's node: "->key", "[17]", ".db". If `to` is empty, appends what dmd_edge_name does. */
void dmd_edge_follow(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to);

#endif
