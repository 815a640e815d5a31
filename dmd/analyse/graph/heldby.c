/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/heldby.h"

#include "analyse/graph/dominators.h"
#include "analyse/graph/stale.h"
#include "base/mem.h"
#include "base/str.h"

/* The components of a holder's name. */
typedef struct {
  uint32_t is_reached; /* 0 for all unreached nodes, else 1 */
  uint32_t is_root;    /* the node is a root */
  uint32_t kind;       /* of the node; DMD_NONE: no single node dominates the block */
  uint32_t way;        /* edge label; DMD_NONE: no edge leads from the node to the block */
} holder_t;

static uint32_t holder_of(dmd_heldby_t *h, const dmd_dominators_t *dominators, uint32_t node) {
  uint32_t by = dominators->idom[node];
  holder_t holder = {.is_reached = by != DMD_NO_DOMINATOR};
  if (by != DMD_NO_DOMINATOR && by != DMD_GRAPH_ALL) {
    holder.is_root = !dmd_heapgraph_is_block(h->kinds->typing->graph, by);
    holder.kind = h->kinds->of[by];
  }
  return dmd_intern_bytes(&h->holders, &holder, sizeof holder);
}

/* Labels the blocks that a node dominates and points to with the first such edge. */
static void note_ways(dmd_heldby_t *h, const dmd_dominators_t *dominators, uint32_t node) {
  const dmd_heapgraph_t *graph = h->kinds->typing->graph;
  const dmd_graph_t *g = &graph->graph;
  for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
    uint32_t target = g->target[edge];
    if (dominators->idom[target] != node || h->of[target] != DMD_NONE)
      continue;
    holder_t holder = {.is_reached = 1,
                       .is_root = !dmd_heapgraph_is_block(graph, node),
                       .kind = h->kinds->of[node],
                       .way = dmd_kinds_way(h->kinds, node, edge)};
    h->of[target] = dmd_intern_bytes(&h->holders, &holder, sizeof holder);
  }
}

void dmd_heldby_init(dmd_heldby_t *h, dmd_kinds_t *kinds) {
  dmd_graph_t *g = &kinds->typing->graph->graph;
  dmd_dominators_t dominators;
  dmd_edgemask_t mask;
  *h = (dmd_heldby_t){.kinds = kinds};
  dmd_intern_init(&h->holders, g->env, "dmd.heldby");
  h->of = dmd_env_alloc(g->env, "dmd.heldby", g->n_nodes * sizeof *h->of);
  dmd_mem_zero(h->of, g->n_nodes * sizeof *h->of);
  dmd_edgemask_init(&mask, g);
  dmd_edgemask_take_stale(&mask, kinds->typing);
  dmd_dominators_init(&dominators, g, NULL, 0);
  for (uint32_t node = 1; node < g->n_nodes; node++)
    note_ways(h, &dominators, node);
  for (uint32_t node = 1; node < g->n_nodes; node++)
    if (h->of[node] == DMD_NONE)
      h->of[node] = holder_of(h, &dominators, node);
  dmd_dominators_destroy(&dominators);
  dmd_edgemask_destroy(&mask);
}

void dmd_heldby_destroy(dmd_heldby_t *h) {
  dmd_env_free(h->holders.env, h->of);
  dmd_intern_destroy(&h->holders);
}

/* "term" and "postings" give "term.postings"; "jar[]" and "[].lid" give "jar[].lid". */
static void append_way(const char *kind, const char *way, dmd_strbuf_t *to) {
  size_t n = dmd_str_length(kind);
  if (way[0] == '[' && n > 2 && dmd_str_equal(kind + n - 2, "[]"))
    n -= 2;
  dmd_strbuf_bytes(to, kind, n);
  if (way[0] == '+')
    dmd_strbuf_str(to, " ");
  else if (way[0] != '[')
    dmd_strbuf_str(to, ".");
  dmd_strbuf_str(to, way);
}

void dmd_heldby_name(const dmd_heldby_t *h, uint32_t id, dmd_strbuf_t *to) {
  size_t n;
  const holder_t *holder = dmd_intern_get(&h->holders, id, &n);
  const char *kind = holder->kind != DMD_NONE ? dmd_kinds_name(h->kinds, holder->kind) : NULL;
  const char *way = holder->way != DMD_NONE ? dmd_kinds_name(h->kinds, holder->way) : NULL;
  if (kind == NULL) {
    dmd_strbuf_str(to, holder->is_reached ? "(several roots)" : "(lost)");
  } else if (way == NULL) {
    dmd_strbuf_str(to, kind);
    dmd_strbuf_str(to, " (in several ways)");
  } else if (holder->is_root && way[0] != '+') {
    dmd_strbuf_str(to, way); /* the label begins with the variable's name */
  } else {
    append_way(kind, way, to);
  }
}
