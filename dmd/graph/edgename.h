/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * edgename.h: what people know an edge of a heap graph by: the member or element that points.
 */
#ifndef DMD_GRAPH_EDGENAME_H
#define DMD_GRAPH_EDGENAME_H

#include "graph/typing.h"

/* Appends the name of an edge in its node: "postings", "ht_table[0]", "[17].key", or "+0x10" where
 * no member or element is known to begin there. Of a node that is a variable with its name in
 * front: "server.db", "table[3]", or "jar" where it is the variable itself. Of another root as of
 * DMD_GRAPH_ALL: the root's name. */
void dmd_edge_name(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to);

/* Appends the name as the next part of a path that is written as in C, to which this edge's node
 * is the end of what is in `to`: "->key", "[17]", ".db"; the first part, to an empty `to`, is as
 * dmd_edge_name writes it. */
void dmd_edge_follow(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to);

#endif
