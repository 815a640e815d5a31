/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kinds.h: groups the nodes of a heap graph by name (kinds), and its edges by name (labels).
 *
 * A heap has millions of nodes but few kinds of them, and output shows kinds. A node's kind is the
 * id of its name (dmd_typing_name; dmd_root_name for roots). An edge's label (`way`) is the id of
 * its name (dmd_edge_name) without element numbers: "ht_table[]", "[].key". If a node's type is
 * unknown and it has more pointers than a typical structure, all its edges share the label "+...".
 * Ids count from 1.
 *
 * A name is built once for all nodes that agree in everything it depends on. Memory: 4 bytes a
 * node.
 */
#ifndef DMD_ANALYSE_GRAPH_KINDS_H
#define DMD_ANALYSE_GRAPH_KINDS_H

#include "analyse/graph/typing.h"

/* ---- Names of edges. ----
 *
 * The readable name of an edge of a heap graph: the member or element that points. */

/* Appends the name of an edge in its node: "postings", "ht_table[0]", "[17].key", or "+0x10" if no
 * member or element is known to begin there. For a variable, its name comes first: "server.db",
 * "table[3]", or "jar" for the variable itself. For other roots, and for edges of DMD_GRAPH_ALL, it
 * is the root's name. */
void dmd_edge_name(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to);

/* Appends the name as the next part of a C expression, of which `to` contains the part up to this
 * edge's node: "->key", "[17]", ".db". If `to` is empty, appends what dmd_edge_name does. */
void dmd_edge_follow(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to);

/* ---- Kinds. ---- */

#define DMD_WAY_OF_MANY "+..."

typedef struct dmd_kinds {
  dmd_typing_t *typing;
  uint32_t *of; /* by node, including DMD_GRAPH_ALL */
  dmd_intern_t names;
  dmd_pool_t examples; /* by name: uint32_t, a node of this kind, preferably a block */
  /* Keys of names built so far, and the names: uint32_t by key. */
  dmd_intern_t keys;
  dmd_pool_t names_of_keys;
  /* For blocks, whose names mostly depend on one number: by type, with several values separate, and
   * by stack + 1 if the type is unknown. */
  dmd_pool_t names_of_types, names_of_stacks;
} dmd_kinds_t;

/* The typing must outlive the kinds, and its types must not change any more. */
void dmd_kinds_init(dmd_kinds_t *kinds, dmd_typing_t *typing);
void dmd_kinds_destroy(dmd_kinds_t *kinds);

/* The label of an edge of a node, which is not DMD_GRAPH_ALL. */
uint32_t dmd_kinds_way(dmd_kinds_t *kinds, uint32_t node, uint32_t edge);

/* The name of a kind or label. */
static inline const char *dmd_kinds_name(const dmd_kinds_t *kinds, uint32_t id) {
  return dmd_intern_get_str(&kinds->names, id);
}

/* True if two blocks may be elements of one list or tree: they have the same kind and, if the type
 * is unknown, the same size. */
bool dmd_kinds_alike(const dmd_kinds_t *kinds, uint32_t a, uint32_t b);

/* The evidence for the name of a kind: the word for that of its first node. */
const char *dmd_kinds_evidence(dmd_kinds_t *kinds, uint32_t kind);

#endif
