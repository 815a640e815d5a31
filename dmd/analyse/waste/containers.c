/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/containers.h"

#include "base/str.h"

/* Two pointers of a container, at most one word apart, by the last parts of their members' paths.
 */
typedef struct {
  const char *first, *second;
  dmd_waste_form_t form;
} layout_t;

static const layout_t layouts[] = {
    {"_M_start", "_M_finish", DMD_WASTE_VECTOR},                 /* std::vector of libstdc++ */
    {"__begin_", "__end_", DMD_WASTE_VECTOR},                    /* and of libc++ */
    {"_M_finish._M_cur", "_M_finish._M_first", DMD_WASTE_DEQUE}, /* the last part of a std::deque */
    {"_M_buckets", "_M_before_begin._M_nxt", DMD_WASTE_HASH},    /* std::unordered_map and _set */
};

/* A pointer, by the last part of its path, and the type of the node that it is in if that part has
 * a usual name. `number` is so many words from it, and says how many elements are in use. */
typedef struct {
  const char *type, *pointer;
  int number;
  bool is_half;          /* only its lower half counts */
  int size;              /* as far from the pointer is an element's size; 0: it has `szB` */
  unsigned szB, further; /* bytes of an element; elements in use that are not counted */
  dmd_waste_form_t form;
} counted_t;

static const counted_t counted[] = {
    /* std::string of libstdc++ and libc++, whose texts end with a zero. */
    {NULL, "_M_dataplus._M_p", 1, false, 0, 1, 1, DMD_WASTE_TEXT},
    {NULL, "__l.__data_", -1, false, 0, 1, 1, DMD_WASTE_TEXT},
    /* std::unordered_map and _set of libc++: pointers to buckets. */
    {NULL, "__bucket_list_.__ptr_.__value_", 3, false, 0, 8, 0, DMD_WASTE_HASH},
    /* GLib; with its own debug information the types have other names. Its hash tables shrink by
     * themselves. */
    {"GArray", "data", 1, true, 2, 1, 0, DMD_WASTE_ARRAY},
    {"GRealArray", "data", 1, true, 2, 1, 0, DMD_WASTE_ARRAY},
    {"GByteArray", "data", 1, true, 0, 1, 0, DMD_WASTE_ARRAY},
    {"GPtrArray", "pdata", 1, true, 0, 8, 0, DMD_WASTE_ARRAY},
    {"GRealPtrArray", "pdata", 1, true, 0, 8, 0, DMD_WASTE_ARRAY},
    {"GString", "str", 1, false, 0, 1, 1, DMD_WASTE_TEXT},
};

/* NULL: none. */
static const layout_t *layout_of(dmd_waste_t *w, uint32_t node, uint32_t edge) {
  const dmd_typing_t *typing = w->keys->kinds->typing;
  const uint32_t *offset = w->graph->graph.offset;
  const layout_t *found = NULL;
  dmd_strbuf_t first, second;
  dmd_strbuf_init(&first, w->graph->env);
  dmd_strbuf_init(&second, w->graph->env);
  dmd_typing_find(typing, node, offset[edge], &first);
  dmd_typing_find(typing, node, offset[edge + 1], &second);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts && found == NULL; i++)
    if (dmd_str_ends(first.text, first.n, layouts[i].first) &&
        dmd_str_ends(second.text, second.n, layouts[i].second))
      found = &layouts[i];
  dmd_strbuf_destroy(&second);
  dmd_strbuf_destroy(&first);
  return found;
}

/* Bytes from the start of a block to where an edge leads. */
static uint64_t into_of(const dmd_waste_t *w, uint32_t edge) {
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(w->graph, edge);
  return interior == NULL ? 0 : interior->into;
}

/* The length of a list whose elements begin with a pointer to the next one; at most `most`, and
 * no more steps than are left for all lists: a file can have a circle. */
static uint64_t length_of(const dmd_waste_t *w, uint32_t node, uint64_t most, uint64_t *steps) {
  const dmd_graph_t *g = &w->graph->graph;
  uint64_t n = 1;
  for (; n<most && * steps> 0; n++, --*steps) {
    uint32_t edge = g->first[node];
    if (edge == g->first[node + 1] || g->offset[edge] != 0)
      break;
    node = g->target[edge];
  }
  return *steps > 0 ? n : most;
}

typedef struct {
  dmd_waste_t *waste;
  uint64_t steps;
} work_t;

/* How much of a block is in use whose container has these two edges; all of it if it is no
 * container. */
static uint64_t used_of(work_t *work, uint32_t edge, const layout_t *layout) {
  const dmd_waste_t *w = work->waste;
  const uint32_t *target = w->graph->graph.target;
  uint64_t all = dmd_heapgraph_requested(w->graph, target[edge]);
  bool is_deque = layout->form == DMD_WASTE_DEQUE;
  bool has_two = target[edge] != target[edge + 1];
  if (has_two != (layout->form == DMD_WASTE_HASH) || into_of(w, edge + is_deque) != 0)
    return all;
  return has_two ? w->word_szB * length_of(w, target[edge + 1], all / w->word_szB, &work->steps)
                 : into_of(w, edge + !is_deque);
}

static void add_block(dmd_waste_t *w, uint32_t node, uint32_t edge, dmd_waste_form_t form,
                      uint64_t used) {
  uint32_t block = w->graph->graph.target[edge];
  uint64_t all = dmd_heapgraph_requested(w->graph, block);
  if (used >= all)
    return;
  uint64_t bytes = dmd_waste_saved(w, block, all - used);
  uint32_t id = dmd_waste_add(w, DMD_WASTE_CONTAINER, block, block, DMD_NONE, bytes);
  if (id == DMD_NONE)
    return;
  dmd_waste_finding_t *finding = dmd_waste_finding(w, id);
  finding->used += used;
  finding->values = form;
  if (finding->example == block) {
    finding->holder = w->keys->kinds->of[node];
    finding->way = dmd_kinds_way(w->keys->kinds, node, edge);
  }
  dmd_waste_add_size(w, id, used, 0, bytes);
}

static void look_at_pair(work_t *work, uint32_t node, uint32_t edge) {
  dmd_waste_t *w = work->waste;
  const dmd_graph_t *g = &w->graph->graph;
  uint32_t block = g->target[edge], apart = g->offset[edge + 1] - g->offset[edge];
  const layout_t *layout = apart <= 2 * w->word_szB && dmd_heapgraph_is_block(w->graph, block)
                               ? layout_of(w, node, edge)
                               : NULL;
  if (layout != NULL)
    add_block(w, node, edge, layout->form, used_of(work, edge, layout));
}

/* ---- Numbers. ---- */

/* "GArray" is also `struct _GArray`. */
static bool is_of_type(dmd_strbuf_t *name, const char *type) {
  size_t n = dmd_str_length(type);
  bool is_there = name->n >= n && dmd_str_equal(name->text + name->n - n, type);
  return is_there &&
         (name->n == n || name->text[name->n - n - 1] == '_' || name->text[name->n - n - 1] == ' ');
}

/* NULL: none. */
static const counted_t *counted_of(const dmd_waste_t *w, uint32_t node, uint32_t edge) {
  const dmd_typing_t *typing = w->keys->kinds->typing;
  const counted_t *found = NULL;
  dmd_strbuf_t path, type;
  dmd_strbuf_init(&path, w->graph->env);
  dmd_strbuf_init(&type, w->graph->env);
  dmd_typing_find(typing, node, w->graph->graph.offset[edge], &path);
  dmd_type_name(typing->types, dmd_typing_type(typing, node), &type);
  for (size_t i = 0; i < sizeof counted / sizeof *counted && found == NULL; i++)
    if (dmd_str_ends(path.text, path.n, counted[i].pointer) &&
        (counted[i].type == NULL || is_of_type(&type, counted[i].type)))
      found = &counted[i];
  dmd_strbuf_destroy(&type);
  dmd_strbuf_destroy(&path);
  return found;
}

/* A number so many words from an edge; 0 if it is missing. */
static uint64_t number_beside(const dmd_waste_t *w, uint32_t node, uint32_t edge, int words) {
  uint64_t offset = w->graph->graph.offset[edge] + (uint64_t)(int64_t)words * w->word_szB;
  return dmd_heapgraph_number(w->graph, node, offset);
}

static bool has_number(const dmd_waste_t *w, uint32_t node, uint32_t edge) {
  enum { BEFORE = 2, BEHIND = 3 };
  for (int i = -BEFORE; i <= BEHIND; i++)
    if (number_beside(w, node, edge, i) != 0)
      return true;
  return false;
}

/* A container that is empty has a capacity, which is a number. */
static void look_at_counted(dmd_waste_t *w, uint32_t node, uint32_t edge) {
  uint32_t block = w->graph->graph.target[edge];
  if (!dmd_heapgraph_is_block(w->graph, block) || block == node || into_of(w, edge) != 0 ||
      !has_number(w, node, edge))
    return;
  const counted_t *layout = counted_of(w, node, edge);
  if (layout == NULL)
    return;
  uint64_t n = number_beside(w, node, edge, layout->number), szB = layout->szB;
  uint64_t all = dmd_heapgraph_requested(w->graph, block);
  if (layout->is_half)
    n &= UINT32_MAX;
  if (layout->size != 0)
    szB = number_beside(w, node, edge, layout->size) & UINT32_MAX;
  if (szB == 0 || n > all / szB)
    return;
  add_block(w, node, edge, layout->form, n == 0 ? 0 : (n + layout->further) * szB);
}

/* ---- Both. ---- */

void dmd_waste_find_containers(dmd_waste_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  const dmd_typing_t *typing = w->keys->kinds->typing;
  work_t work = {.waste = w, .steps = (uint64_t)g->n_nodes + 1};
  for (uint32_t node = 1; node < g->n_nodes; node++) {
    if (dmd_type_tells(typing->types, dmd_typing_type(typing, node)) != DMD_TELLS_TYPE)
      continue;
    bool has_numbers = w->graph->numbers.last > 0;
    for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
      if (edge + 1 < g->first[node + 1])
        look_at_pair(&work, node, edge);
      if (has_numbers)
        look_at_counted(w, node, edge);
    }
  }
}
