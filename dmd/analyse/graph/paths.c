/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/paths.h"

#include "analyse/graph/edgemask.h"
#include "base/sort.h"

/* How many steps back a path is searched for a kind that occurs again. */
enum { LOOK_BACK = 8 };

static dmd_path_shape_t *shape_at(const dmd_paths_t *paths, uint32_t id) {
  return DMD_POOL_AT(&paths->shapes, dmd_path_shape_t, id);
}

static bool shape_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_path_shape_t *a = shape_at(owner, id), *b = key;
  return a->before == b->before && a->kind == b->kind && a->way == b->way &&
         a->is_doubtful == b->is_doubtful;
}

static uint32_t shape_of(dmd_paths_t *paths, const dmd_path_shape_t *key) {
  uint64_t hash = dmd_table_hash(&paths->index, key->kind ^ (uint64_t)key->way << 32);
  hash = dmd_hash_u64(hash ^ key->before ^ (uint64_t)key->is_doubtful << 32);
  return dmd_table_find_or_add(&paths->index, &paths->shapes, hash, key);
}

/* ---- Breadth-first search. ---- */

#define NO_EDGE UINT32_MAX

typedef struct {
  dmd_paths_t *paths;
  const dmd_graph_t *graph;
  dmd_bitset_t doubtful; /* edge set */
  bool has_doubtful;
  uint32_t *edge;  /* by node: the edge on which it was reached; NO_EDGE: not reached */
  uint32_t *queue; /* of the search; later scratch for a path */
  uint32_t n;
  uint32_t *shape; /* by node: the shape of its path; DMD_NONE: not needed so far */
} search_t;

static void follow_edges(search_t *s, uint32_t node, bool all) {
  for (uint32_t e = s->graph->first[node]; e < s->graph->first[node + 1]; e++) {
    uint32_t target = s->graph->target[e];
    if (target == DMD_GRAPH_ALL || s->edge[target] != NO_EDGE ||
        (!all && dmd_bitset_has(&s->doubtful, e)))
      continue;
    s->edge[target] = e;
    s->queue[s->n++] = target;
  }
}

static void note_doubtful(void *search, uint32_t node, uint32_t edge) {
  (void)node;
  search_t *s = search;
  dmd_bitset_add(&s->doubtful, edge);
  s->has_doubtful = true;
}

static void begin(search_t *s, dmd_paths_t *paths) {
  const dmd_env_t *env = paths->graph->env;
  uint32_t n = paths->graph->graph.n_nodes;
  *s = (search_t){.paths = paths, .graph = &paths->graph->graph};
  dmd_bitset_init(&s->doubtful, env, "dmd.paths", dmd_graph_n_edges(s->graph));
  dmd_find_doubtful(paths->kinds->typing, note_doubtful, s);
  s->edge = dmd_env_alloc(env, "dmd.paths", n * sizeof *s->edge);
  for (uint32_t node = 0; node < n; node++)
    s->edge[node] = NO_EDGE;
  s->queue = dmd_env_alloc(env, "dmd.paths", n * sizeof *s->queue);
  s->shape = dmd_env_alloc(env, "dmd.paths", n * sizeof *s->shape);
  dmd_mem_zero(s->shape, n * sizeof *s->shape);
}

/* Prefetches data of nodes that are processed soon. */
static void fetch_ahead(const search_t *s, uint32_t i) {
  enum { AHEAD = 8, MAX_FETCHED = 16 };
  const dmd_graph_t *g = s->graph;
  if (i + 2 * AHEAD < s->n)
    __builtin_prefetch(&g->first[s->queue[i + 2 * AHEAD]]);
  if (i + AHEAD < s->n)
    __builtin_prefetch(&g->target[g->first[s->queue[i + AHEAD]]]);
  if (i + AHEAD / 2 >= s->n)
    return;
  uint32_t node = s->queue[i + AHEAD / 2], first = g->first[node], end = g->first[node + 1];
  for (uint32_t e = first; e < end && e < first + MAX_FETCHED; e++)
    __builtin_prefetch(&s->edge[g->target[e]]);
}

static void follow_all(search_t *s, bool all) {
  for (uint32_t i = 0; i < s->n; i++) {
    dmd_env_tell(s->graph->env, "paths", i, s->graph->n_nodes);
    fetch_ahead(s, i);
    follow_edges(s, s->queue[i], all);
  }
}

static void search(search_t *s) {
  s->queue[s->n++] = DMD_GRAPH_ALL;
  follow_all(s, false);
  if (s->has_doubtful)
    follow_all(s, true);
}

static void end(search_t *s) {
  dmd_env_free(s->paths->graph->env, s->shape);
  dmd_env_free(s->paths->graph->env, s->queue);
  dmd_env_free(s->paths->graph->env, s->edge);
  dmd_bitset_destroy(&s->doubtful);
}

/* ---- Shapes of the requested paths. ---- */

/* The shape, up to a few steps before the end of a path, that ends at blocks like this one;
 * DMD_NONE if not found. */
static uint32_t find_again(const dmd_paths_t *paths, uint32_t shape, uint32_t node) {
  for (int i = 0; i < LOOK_BACK; i++) {
    const dmd_path_shape_t *s = shape_at(paths, shape);
    if (s->before == DMD_NONE)
      return DMD_NONE; /* roots are not like any block */
    if (dmd_kinds_alike(paths->kinds, paths->graph->graph.target[s->edge], node))
      return shape;
    shape = s->before;
  }
  return DMD_NONE;
}

/* Notes that an edge with this label leads from `last` back to `shape`. */
static void add_loop(dmd_paths_t *paths, uint32_t shape, uint32_t last, uint32_t way) {
  uint32_t *end = &shape_at(paths, shape)->loops, n = 0;
  for (; *end != DMD_NONE; end = &DMD_POOL_AT(&paths->loops, dmd_path_loop_t, *end)->next, n++)
    if (dmd_path_loop_at(paths, *end)->last == last && dmd_path_loop_at(paths, *end)->way == way)
      return;
  if (n == DMD_PATH_LOOPS) {
    shape_at(paths, shape)->has_more_loops = true;
    return;
  }
  *end = dmd_pool_add(&paths->loops);
  *DMD_POOL_AT(&paths->loops, dmd_path_loop_t, *end) = (dmd_path_loop_t){.last = last, .way = way};
}

/* The shape of a node whose path continues that of `from`. */
static uint32_t next_shape(search_t *s, uint32_t from, uint32_t node) {
  uint32_t edge = s->edge[node], kind = s->paths->kinds->of[node];
  if (from == DMD_GRAPH_ALL)
    return shape_of(s->paths, &(dmd_path_shape_t){.kind = kind});
  uint32_t again = find_again(s->paths, s->shape[from], node);
  if (again != DMD_NONE) {
    add_loop(s->paths, again, s->shape[from], dmd_kinds_way(s->paths->kinds, from, edge));
    return again;
  }
  dmd_path_shape_t key = {.before = s->shape[from],
                          .kind = kind,
                          .way = dmd_kinds_way(s->paths->kinds, from, edge),
                          .edge = edge,
                          .is_doubtful = dmd_bitset_has(&s->doubtful, edge)};
  return shape_of(s->paths, &key);
}

/* Goes back to a node that has a shape, and from there forward to this node. */
static uint32_t shape_of_node(search_t *s, uint32_t node) {
  uint32_t n = 0, from = node;
  if (s->edge[node] == NO_EDGE)
    return DMD_NONE;
  while (from != DMD_GRAPH_ALL && s->shape[from] == DMD_NONE) {
    s->queue[n++] = from;
    from = dmd_graph_source(s->graph, s->edge[from]);
  }
  while (n > 0) {
    uint32_t next = s->queue[--n];
    s->shape[next] = next_shape(s, from, next);
    from = next;
  }
  return s->shape[node];
}

/* ---- Results. ---- */

static void count(dmd_paths_t *paths, uint32_t node, uint32_t shape) {
  uint64_t bytes = paths->graph->graph.size[node];
  paths->blocks++;
  paths->bytes += bytes;
  if (shape == DMD_NONE) {
    paths->lost_blocks++;
    paths->lost_bytes += bytes;
  } else {
    shape_at(paths, shape)->blocks++;
    shape_at(paths, shape)->bytes += bytes;
  }
}

static int compare_shapes(const void *paths, uint32_t x, uint32_t y) {
  const dmd_path_shape_t *a = shape_at(paths, x), *b = shape_at(paths, y);
  if (a->blocks != b->blocks)
    return a->blocks > b->blocks ? -1 : 1;
  return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

void dmd_paths_init(dmd_paths_t *paths, dmd_kinds_t *kinds, const dmd_bitset_t *to) {
  const dmd_heapgraph_t *graph = kinds->typing->graph;
  *paths = (dmd_paths_t){.graph = graph, .kinds = kinds};
  dmd_pool_init(&paths->shapes, graph->env, "dmd.paths", sizeof(dmd_path_shape_t));
  dmd_pool_init(&paths->loops, graph->env, "dmd.paths", sizeof(dmd_path_loop_t));
  dmd_table_init(&paths->index, graph->env, "dmd.paths", shape_equal, paths);
  search_t s;
  begin(&s, paths);
  search(&s);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    dmd_env_tell(graph->env, "shapes of paths", node, graph->graph.n_nodes);
    if (dmd_bitset_has(to, node))
      count(paths, node, shape_of_node(&s, node));
  }
  end(&s);
  paths->order = dmd_sorted_ids(graph->env, paths->shapes.last, compare_shapes, paths);
  while (paths->n_order < paths->shapes.last &&
         shape_at(paths, paths->order[paths->n_order])->blocks > 0)
    paths->n_order++;
}

void dmd_paths_destroy(dmd_paths_t *paths) {
  dmd_env_free(paths->graph->env, paths->order);
  dmd_table_destroy(&paths->index);
  dmd_pool_destroy(&paths->loops);
  dmd_pool_destroy(&paths->shapes);
}

static void follow_way(const dmd_paths_t *paths, uint32_t way, dmd_strbuf_t *to) {
  const char *name = dmd_kinds_name(paths->kinds, way);
  if (to->n > 0 && name[0] != '[' && name[0] != '+')
    dmd_strbuf_str(to, "->");
  dmd_strbuf_str(to, name);
}

void dmd_path_loop_name(const dmd_paths_t *paths, uint32_t shape, uint32_t loop, dmd_strbuf_t *to) {
  const dmd_path_loop_t *l = dmd_path_loop_at(paths, loop);
  uint32_t ways[LOOK_BACK], n = 0;
  for (uint32_t s = l->last; s != shape; s = shape_at(paths, s)->before)
    ways[n++] = shape_at(paths, s)->way;
  while (n > 0)
    follow_way(paths, ways[--n], to);
  follow_way(paths, l->way, to);
}

uint32_t *dmd_path_steps(const dmd_paths_t *paths, uint32_t shape, uint32_t *n) {
  *n = 0;
  for (uint32_t s = shape; s != DMD_NONE; s = shape_at(paths, s)->before)
    ++*n;
  uint32_t *steps = dmd_env_alloc(paths->graph->env, "dmd.paths", (*n + 1ul) * sizeof *steps);
  for (uint32_t i = *n, s = shape; i > 0; s = shape_at(paths, s)->before)
    steps[--i] = s;
  return steps;
}
