/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kinds.h: nodes of a heap graph that people call by one name, and edges that they call by one.
 *
 * A heap has millions of nodes but few kinds of them. What is shown of a graph is of kinds: a
 * node's is the id of its name (dmd_typing_name; of a root dmd_root_name), and a way that edges
 * lead is the id of their name (dmd_edge_name) with element numbers left out: "ht_table[]",
 * "[].key". Of a node whose type is not known, and that has more pointers than a structure mostly
 * has, all are one way, "+...". Ids count from 1.
 *
 * Names are made once for all nodes that differ in nothing that a name is made of. Memory: 4 bytes
 * a node.
 *
 * Concurrency: nothing locks.
 */
#ifndef DMD_GRAPH_KINDS_H
#define DMD_GRAPH_KINDS_H

#include "graph/typing.h"

#define DMD_WAY_OF_MANY "+..."

typedef struct dmd_kinds {
  dmd_typing_t *typing;
  uint32_t *of; /* by node; of DMD_GRAPH_ALL too */
  dmd_intern_t names;
  dmd_pool_t examples; /* by name: uint32_t, a node of this kind, a block if there is one */
  /* What names were made of already, and which these are: uint32_t by key. */
  dmd_intern_t keys;
  dmd_pool_t names_of_keys;
  /* The same of blocks, whose names are mostly made of one number: by type, those of several values
   * apart, and by stack + 1 where there is no type. */
  dmd_pool_t names_of_types, names_of_stacks;
} dmd_kinds_t;

/* The typing, whose types must not change any more, must outlive the kinds. */
void dmd_kinds_init(dmd_kinds_t *kinds, dmd_typing_t *typing);
void dmd_kinds_destroy(dmd_kinds_t *kinds);

/* The way that an edge of a node, which is not DMD_GRAPH_ALL, leads. */
uint32_t dmd_kinds_way(dmd_kinds_t *kinds, uint32_t node, uint32_t edge);

/* The name of a kind or way. */
static inline const char *dmd_kinds_name(const dmd_kinds_t *kinds, uint32_t id) {
  return dmd_intern_get_str(&kinds->names, id);
}

/* Whether two blocks may well be elements of one list or tree: of one kind and, where no type is
 * known of it, of one size. */
bool dmd_kinds_alike(const dmd_kinds_t *kinds, uint32_t a, uint32_t b);

/* What the name of a kind rests on: the word of the evidence for its first node. */
const char *dmd_kinds_evidence(dmd_kinds_t *kinds, uint32_t kind);

#endif
