/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/claims/claimgraph.h"

#include "analyse/claims/claimsetparts.h"
#include "analyse/graph/edgemask.h"

enum {
  MAX_PARTS = 64, /* of each kind; the blocks of further ones are counted with the object */
  MAX_PATH = 12   /* members of a path */
};

/* A part while its object is walked. */
typedef struct {
  dmd_claim_part_t part;
  uint32_t kind, way;
  uint32_t end; /* of the subtree of its latest outermost block, as a place in `nodes` */
} walked_part_t;

typedef struct {
  dmd_claimcases_t *cases;
  dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  dmd_retained_t retained;
  uint32_t *begin, *count;  /* by node: its place in a preorder of the dominator tree, and the size
                               of its subtree */
  uint32_t *nodes;          /* by place */
  dmd_claim_size_t *before; /* by place: the sums of all nodes before it */
  uint32_t *way;            /* by node: a pointer from its dominator, plus 1; 0: none */
  uint32_t *seen;           /* by node: the number of the object that it was shared with last */
  uint32_t n_objects;
  uint32_t object; /* that is walked */
  dmd_bitset_t is_claimed;
  dmd_claimsetparts_t sets;
  walked_part_t parts[2 * MAX_PARTS];
  uint32_t n_parts;
} walk_t;

static dmd_claim_size_t size_of(const walk_t *w, uint32_t node) {
  if (!dmd_heapgraph_is_block(w->graph, node))
    return (dmd_claim_size_t){0};
  return (dmd_claim_size_t){.blocks = 1,
                            .req = dmd_heapgraph_requested(w->graph, node),
                            .usable = dmd_retained_own(&w->retained, node)};
}

/* ---- The dominator tree. ---- */

static uint32_t *array(const walk_t *w) {
  size_t szB = w->graph->graph.n_nodes * sizeof(uint32_t);
  uint32_t *numbers = dmd_env_alloc(w->graph->env, "dmd.claimgraph", szB);
  dmd_mem_zero(numbers, szB);
  return numbers;
}

/* Dominators come first in `order`: backwards it adds up subtrees, forwards it gives out places. */
static void number_nodes(walk_t *w) {
  const dmd_dominators_t *d = &w->retained.dominators;
  w->begin = array(w);
  w->count = array(w);
  w->nodes = array(w);
  uint32_t *next = array(w);
  for (uint32_t i = d->n_reached; i-- > 0;) {
    uint32_t node = d->order[i], above = d->idom[node];
    w->count[node]++;
    if (above != DMD_NO_DOMINATOR)
      w->count[above] += w->count[node];
  }
  for (uint32_t i = 0; i < d->n_reached; i++) {
    uint32_t node = d->order[i], above = d->idom[node];
    if (above != DMD_NO_DOMINATOR) {
      w->begin[node] = next[above];
      next[above] += w->count[node];
    }
    next[node] = w->begin[node] + 1;
    w->nodes[w->begin[node]] = node;
  }
  dmd_env_free(w->graph->env, next);
}

static void sum_sizes(walk_t *w) {
  uint32_t n = w->retained.dominators.n_reached;
  dmd_claim_size_t sum = {0};
  w->before = dmd_env_alloc(w->graph->env, "dmd.claimgraph", (n + 1ul) * sizeof *w->before);
  for (uint32_t i = 0; i < n; i++) {
    w->before[i] = sum;
    dmd_claim_size_t size = size_of(w, w->nodes[i]);
    dmd_claim_size_add(&sum, &size);
  }
  w->before[n] = sum;
}

/* What a node retains. */
static dmd_claim_size_t whole_of(const walk_t *w, uint32_t node) {
  const dmd_claim_size_t *from = &w->before[w->begin[node]];
  return dmd_claim_size_less(from + w->count[node], from);
}

static void find_ways(walk_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  const dmd_dominators_t *d = &w->retained.dominators;
  w->way = array(w);
  for (uint32_t node = 0; node < g->n_nodes; node++)
    for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
      uint32_t target = g->target[edge];
      if (target != node && d->idom[target] == node && w->way[target] == 0)
        w->way[target] = edge + 1;
    }
}

static void take_stacks(dmd_edgemask_t *mask, const dmd_heapgraph_t *graph) {
  for (uint32_t node = 1; node <= graph->n_roots; node++) {
    dmd_root_kind_t kind = dmd_heapgraph_root(graph, node)->kind;
    if (kind != DMD_ROOT_STACK && kind != DMD_ROOT_REGISTERS)
      continue;
    for (uint32_t edge = graph->graph.first[node]; edge < graph->graph.first[node + 1]; edge++)
      dmd_edgemask_take(mask, node, edge);
  }
}

/* ---- Parts. ---- */

static const char *name_of(const walk_t *w, uint32_t kind) {
  return dmd_kinds_name(w->kinds, kind);
}

static uint32_t name_part(const walk_t *w, uint32_t way, uint32_t kind) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, w->cases->env);
  if (way != DMD_NONE) {
    dmd_strbuf_str(&name, name_of(w, way));
    dmd_strbuf_str(&name, ": ");
  }
  dmd_strbuf_str(&name, name_of(w, kind));
  uint32_t id = dmd_intern_str(&w->cases->names, name.text);
  dmd_strbuf_destroy(&name);
  return id;
}

static uint32_t way_to(const walk_t *w, uint32_t node) {
  return w->way[node] == 0
             ? DMD_NONE
             : dmd_kinds_way(w->kinds, w->retained.dominators.idom[node], w->way[node] - 1);
}

/* `first.next.text`: the members on the way from the object, repeated ones once. */
static uint32_t name_path(const walk_t *w, uint32_t node) {
  uint32_t ways[MAX_PATH], n = 0;
  for (; node != w->object && n < MAX_PATH; node = w->retained.dominators.idom[node]) {
    uint32_t way = way_to(w, node);
    if (n == 0 || ways[n - 1] != way)
      ways[n++] = way;
  }
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, w->cases->env);
  if (node != w->object)
    dmd_strbuf_str(&path, "...");
  while (n-- > 0) {
    if (path.n > 0)
      dmd_strbuf_str(&path, ".");
    dmd_strbuf_str(&path, ways[n] == DMD_NONE ? "(several ways)" : name_of(w, ways[n]));
  }
  uint32_t id = dmd_intern_str(&w->cases->names, path.text);
  dmd_strbuf_destroy(&path);
  return id;
}

static uint32_t site_of(const walk_t *w, uint32_t node) {
  uint32_t frame = dmd_typing_allocator(w->kinds->typing, node);
  return frame == DMD_NONE
             ? DMD_NONE
             : dmd_intern_str(&w->cases->names, dmd_frames_text(&w->graph->profile.frames, frame));
}

/* The part for blocks of this block's kind, to which `referrer` leads by this label. Offsets in
 * referrers of unknown type distinguish no parts. If there is no room, the object. */
static walked_part_t *part_for(walk_t *w, uint32_t node, uint32_t referrer, uint32_t way,
                               bool is_shared) {
  uint32_t kind = w->kinds->of[node];
  if (referrer == DMD_GRAPH_ALL || dmd_typing_type(w->kinds->typing, referrer) == DMD_NONE)
    way = DMD_NONE;
  for (uint32_t i = 1; i < w->n_parts; i++) {
    walked_part_t *p = &w->parts[i];
    if (p->way == way && p->kind == kind && p->part.is_shared == is_shared)
      return p;
  }
  if (w->n_parts >= (is_shared ? 2 * MAX_PARTS : MAX_PARTS))
    return is_shared ? NULL : &w->parts[0];
  walked_part_t *new = &w->parts[w->n_parts++];
  *new = (walked_part_t){.part = {.is_shared = is_shared}, .kind = kind, .way = way};
  new->part.name = name_part(w, way, kind);
  new->part.path = name_path(w, is_shared ? referrer : node);
  new->part.site = site_of(w, node);
  return new;
}

/* Adds a block at this place, in preorder. */
static void add_node(walk_t *w, uint32_t place, bool is_others) {
  uint32_t node = w->nodes[place], referrer = w->retained.dominators.idom[node];
  walked_part_t *p = part_for(w, node, referrer, way_to(w, node), false);
  dmd_claim_size_t size = size_of(w, node), whole = whole_of(w, node);
  dmd_claim_size_add(&p->part.own, &size);
  if (is_others)
    dmd_claim_size_add(&p->part.own_others, &size);
  if (p == &w->parts[0] || place < p->end)
    return;
  dmd_claim_size_add(&p->part.whole, &whole);
  if (is_others)
    dmd_claim_size_add(&p->part.whole_others, &whole);
  p->end = place + w->count[node];
}

static bool is_below(const walk_t *w, uint32_t object, uint32_t node) {
  return w->begin[node] - w->begin[object] < w->count[object];
}

/* Adds the blocks that a block of the object leads to, and that are not the object's. */
static void add_shared(walk_t *w, uint32_t node) {
  const dmd_graph_t *g = &w->graph->graph;
  for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
    uint32_t target = g->target[edge];
    if (is_below(w, w->object, target) || !dmd_heapgraph_is_block(w->graph, target) ||
        w->seen[target] == w->n_objects)
      continue;
    walked_part_t *p = part_for(w, target, node, dmd_kinds_way(w->kinds, node, edge), true);
    if (p == NULL)
      continue;
    w->seen[target] = w->n_objects;
    dmd_claim_size_t size = size_of(w, target), whole = whole_of(w, target);
    dmd_claim_size_add(&p->part.own, &size);
    dmd_claim_size_add(&p->part.whole, &whole);
  }
}

/* ---- Objects. ---- */

/* The node at this place is another object with claims, and not within one. */
static void leave_out_other(walk_t *w, dmd_claim_case_t *c, uint32_t place) {
  dmd_claim_size_t whole = whole_of(w, w->nodes[place]), *owned = &c->size[DMD_CLAIM_OWNED];
  *owned = dmd_claim_size_less(owned, &whole);
  for (uint32_t i = 0; i < w->n_parts; i++)
    if (i == 0 || place < w->parts[i].end)
      dmd_claim_size_add(&w->parts[i].part.whole_others, &whole);
}

/* The retained blocks, those of other objects with claims apart. */
static void add_retained(walk_t *w, dmd_claim_case_t *c) {
  uint32_t first = w->begin[w->object], end = first + w->count[w->object], others_end = 0;
  c->size[DMD_CLAIM_RETAINED] = whole_of(w, w->object);
  c->size[DMD_CLAIM_OWNED] = c->size[DMD_CLAIM_RETAINED];
  for (uint32_t i = first + 1; i < end; i++) {
    uint32_t node = w->nodes[i];
    if (i >= others_end && dmd_bitset_has(&w->is_claimed, node)) {
      leave_out_other(w, c, i);
      others_end = i + w->count[node];
    }
    add_node(w, i, i < others_end);
  }
}

static void add_object(walk_t *w, dmd_claim_case_t *c) {
  dmd_claim_part_t parts[2 * MAX_PARTS];
  uint32_t object = w->object, first = w->begin[object], end = first + w->count[object];
  w->parts[0] = (walked_part_t){.kind = w->kinds->of[object]};
  w->parts[0].part = (dmd_claim_part_t){.name = name_part(w, DMD_NONE, w->kinds->of[object]),
                                        .site = site_of(w, object),
                                        .own = size_of(w, object),
                                        .whole = whole_of(w, object)};
  w->n_parts = 1;
  w->n_objects++;
  c->size[DMD_CLAIM_BLOCK] = w->parts[0].part.own;
  add_retained(w, c);
  for (uint32_t i = first; i < end; i++)
    add_shared(w, w->nodes[i]);
  for (uint32_t i = 0; i < w->n_parts; i++)
    parts[i] = w->parts[i].part;
  dmd_claimcases_add(w->cases, c, parts, w->n_parts);
}

static void add_claim(walk_t *w, const dmd_graph_claim_t *claim, uint32_t file, const bool *picks) {
  bool is_set = claim->set != DMD_NONE;
  w->object = is_set ? DMD_GRAPH_ALL : dmd_heapgraph_find(w->graph, claim->argument);
  if (picks != NULL && (is_set || !picks[w->object]))
    return;
  uint32_t function = dmd_intern_str(
      &w->cases->names, dmd_intern_get_str(&w->graph->claim_functions, claim->function));
  dmd_claim_function_sums_t *sums = dmd_claimcases_function(w->cases, function);
  dmd_claim_case_t c = {.function = function,
                        .file = file,
                        .stack = dmd_heapgraph_profile_stack(w->graph, claim->stack),
                        .argument = claim->argument,
                        .value = claim->value,
                        .value_szB = claim->result_szB,
                        .count = claim->count};
  if (is_set)
    sums->set = dmd_intern_str(&w->cases->names,
                               dmd_intern_get_str(&w->graph->claim_functions, claim->set));
  if (is_set && claim->is_outdated)
    sums->n_unmeasured += claim->count;
  else if (is_set)
    dmd_claimsetparts_add(&w->sets, claim, &c);
  else if (claim->is_outdated)
    sums->n_outdated += claim->count;
  else if (!dmd_heapgraph_is_block(w->graph, w->object))
    sums->n_no_block += claim->count;
  else
    add_object(w, &c);
}

void dmd_claimcases_add_graph(dmd_claimcases_t *cases, dmd_heapgraph_t *graph, dmd_kinds_t *kinds,
                              uint32_t file, const bool *picks) {
  const dmd_env_t *env = graph->env;
  walk_t *w = dmd_env_alloc(env, "dmd.claimgraph", sizeof *w);
  dmd_mem_zero(w, sizeof *w);
  w->cases = cases;
  w->graph = graph;
  w->kinds = kinds;
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &graph->graph);
  take_stacks(&mask, graph);
  dmd_retained_init(&w->retained, graph, kinds->typing);
  number_nodes(w);
  sum_sizes(w);
  find_ways(w);
  w->seen = array(w);
  dmd_bitset_init(&w->is_claimed, env, "dmd.claimgraph", graph->graph.n_nodes);
  for (uint32_t id = 1; id <= graph->claims.last; id++) {
    const dmd_graph_claim_t *claim = DMD_POOL_AT(&graph->claims, const dmd_graph_claim_t, id);
    if (claim->set == DMD_NONE)
      dmd_bitset_add(&w->is_claimed, dmd_heapgraph_find(graph, claim->argument));
  }
  dmd_claimsetparts_init(&w->sets, cases, graph, kinds);
  for (uint32_t id = 1; id <= graph->claims.last; id++)
    add_claim(w, DMD_POOL_AT(&graph->claims, const dmd_graph_claim_t, id), file, picks);
  dmd_claimsetparts_destroy(&w->sets);
  dmd_bitset_destroy(&w->is_claimed);
  dmd_env_free(env, w->seen);
  dmd_env_free(env, w->way);
  dmd_env_free(env, w->before);
  dmd_env_free(env, w->nodes);
  dmd_env_free(env, w->count);
  dmd_env_free(env, w->begin);
  dmd_retained_destroy(&w->retained);
  dmd_edgemask_destroy(&mask);
  dmd_env_free(env, w);
}
