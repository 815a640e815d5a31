/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/tree.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"

void dmd_trees_init(dmd_trees_t *trees, const dmd_env_t *env) {
  dmd_mem_zero(trees, sizeof *trees);
  trees->env = env;
  dmd_pool_init(&trees->nodes, env, "dmd.trees", sizeof(dmd_node_t));
  dmd_intern_init(&trees->names, env, "dmd.trees.names");
}

void dmd_trees_destroy(dmd_trees_t *trees) {
  dmd_intern_destroy(&trees->names);
  dmd_pool_destroy(&trees->nodes);
}

/* ---- Building. ---- */

static uint32_t new_node(dmd_trees_t *trees, uint32_t parent, size_t end) {
  uint32_t id = dmd_pool_add(&trees->nodes);
  dmd_node_t *node = dmd_trees_at(trees, id);
  *node = (dmd_node_t){.parent = parent, .end = end, .root = id};
  if (parent != DMD_NONE) {
    node->root = dmd_trees_at(trees, parent)->root;
    node->units = dmd_trees_at(trees, parent)->units;
  }
  return id;
}

/* Closes a node whose subtree is complete: sets its name, and links it to its parent. */
static void close_node(dmd_trees_t *trees, uint32_t id) {
  dmd_node_t *node = dmd_trees_at(trees, id);
  dmd_node_t *parent = node->parent != DMD_NONE ? dmd_trees_at(trees, node->parent) : NULL;
  size_t start = parent != NULL ? parent->end + 1 : 0;
  uint32_t name = dmd_intern_bytes(&trees->names, trees->path + start, node->end - start);
  node->name = dmd_intern_get_str(&trees->names, name);
  if (dmd_magnitude(node->amount) > node->extent)
    node->extent = dmd_magnitude(node->amount);
  uint32_t *list = parent != NULL ? &parent->first_kid : &trees->first_root;
  node->next = *list;
  *list = id;
  if (parent != NULL) {
    parent->n_kids++;
    parent->amount += node->amount;
    if (node->extent > parent->extent)
      parent->extent = node->extent;
  }
}

/* Closes everything below the first n bytes of the last path, and returns the node for these: the
 * fork for the next path. */
static uint32_t close_down_to(dmd_trees_t *trees, size_t n) {
  uint32_t id = trees->last;
  while (dmd_trees_at(trees, id)->end > n) {
    uint32_t parent = dmd_trees_at(trees, id)->parent;
    if (dmd_trees_at(trees, parent)->end < n) {
      parent = new_node(trees, parent, n);
      dmd_trees_at(trees, id)->parent = parent;
    }
    close_node(trees, id);
    id = parent;
  }
  return id;
}

static void close_tree(dmd_trees_t *trees) {
  if (trees->last == DMD_NONE)
    return;
  uint32_t root = dmd_trees_at(trees, trees->last)->root;
  close_down_to(trees, dmd_trees_at(trees, root)->end);
  close_node(trees, root);
  trees->last = DMD_NONE;
}

/* The length of the whole path components that two paths have in common, without the final '/'. */
static size_t common_parts(const char *a, const char *b) {
  size_t n = 0;
  for (size_t i = 0;; i++) {
    bool a_ends = a[i] == '/' || a[i] == '\0', b_ends = b[i] == '/' || b[i] == '\0';
    if (a_ends && b_ends)
      n = i;
    if (a[i] != b[i] || a[i] == '\0')
      return n;
  }
}

/* True if the path belongs to the current tree. */
static bool is_in_last_tree(const dmd_trees_t *trees, const char *path) {
  if (trees->last == DMD_NONE)
    return false;
  const dmd_node_t *root = dmd_trees_at(trees, dmd_trees_at(trees, trees->last)->root);
  return !root->is_single && dmd_str_equal_n(trees->path, path, root->end) &&
         path[root->end] == '/';
}

void dmd_trees_add(dmd_trees_t *trees, const char *path, const dmd_amount_t *report) {
  uint32_t id;
  if (is_in_last_tree(trees, path)) {
    id = close_down_to(trees, common_parts(trees->path, path));
  } else {
    close_tree(trees);
    id = new_node(trees, DMD_NONE, dmd_str_span_without(path, "/"));
    dmd_trees_at(trees, id)->units = report->units;
    dmd_trees_at(trees, id)->is_single = dmd_str_find_char(path, '/') == NULL;
  }
  if (!dmd_trees_at(trees, id)->is_single)
    id = new_node(trees, id, dmd_str_length(path));
  dmd_node_t *leaf = dmd_trees_at(trees, id);
  leaf->amount = report->amount;
  leaf->shared = report->shared;
  leaf->times = report->times;
  leaf->presence = report->presence;
  leaf->leaf = report;
  trees->last = id;
  trees->path = path;
}

/* ---- Names. ---- */

/* The rank of a character in the root order of the Unicode collation, ignoring case; non-ASCII
 * characters come last, by code point. */
static int place_of(unsigned char c) {
  static const char order[] = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";
  if (c >= 0x80)
    return 1000 + c;
  if (c >= 'A' && c <= 'Z')
    c = (unsigned char)(c - 'A' + 'a');
  const char *found = c != '\0' ? dmd_str_find_char(order, c) : NULL;
  if (found != NULL)
    return 200 + (int)(found - order);
  /* Letters; control characters come before everything else. */
  return c >= 'a' ? 500 + c : c;
}

int dmd_compare_names(const char *a, const char *b) {
  int case_difference = 0;
  for (size_t i = 0;; i++) {
    unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
    int difference = place_of(x) - place_of(y);
    if (difference != 0)
      return difference;
    if (x == '\0')
      return case_difference;
    /* Lower case comes first. */
    if (case_difference == 0)
      case_difference = y - x;
  }
}

/* ---- Shaping. ---- */

typedef struct {
  const dmd_trees_t *trees;
  bool is_diff;
} order_t;

/* Nodes for tiny ones have no name; there is at most one among siblings. */
static int compare_node_names(const dmd_node_t *a, const dmd_node_t *b) {
  if (a->name == NULL || b->name == NULL)
    return (b->name == NULL) - (a->name == NULL);
  return dmd_compare_names(a->name, b->name);
}

static int compare_kids(const void *ctx, uint32_t x, uint32_t y) {
  const order_t *order = ctx;
  const dmd_node_t *a = dmd_trees_at(order->trees, x), *b = dmd_trees_at(order->trees, y);
  if (order->is_diff && a->extent != b->extent)
    return a->extent > b->extent ? -1 : 1;
  if (!order->is_diff && a->amount != b->amount)
    return a->amount > b->amount ? -1 : 1;
  return compare_node_names(a, b);
}

static int rank_of_root(const dmd_node_t *root) {
  if (root->is_single)
    return 2;
  return dmd_str_equal(root->name, "explicit") ? 0 : 1;
}

static int compare_roots(const void *ctx, uint32_t x, uint32_t y) {
  const order_t *order = ctx;
  const dmd_node_t *a = dmd_trees_at(order->trees, x), *b = dmd_trees_at(order->trees, y);
  int difference = rank_of_root(a) - rank_of_root(b);
  return difference != 0 ? difference : compare_node_names(a, b);
}

/* Less than 1% of its root; false if the root is 0. */
static bool is_tiny(const dmd_trees_t *trees, uint32_t id) {
  const dmd_node_t *node = dmd_trees_at(trees, id);
  uint64_t whole = dmd_magnitude(dmd_trees_at(trees, node->root)->amount);
  return whole > 0 && node->extent <= (whole - 1) / 100;
}

/* Links the ids into a list by `next`; returns its head. */
static uint32_t link_nodes(dmd_trees_t *trees, const uint32_t *ids, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    dmd_trees_at(trees, ids[i])->next = i + 1 < n ? ids[i + 1] : DMD_NONE;
  return n > 0 ? ids[0] : DMD_NONE;
}

static void adopt_tiny(dmd_trees_t *trees, uint32_t parent, uint32_t id, const uint32_t *kids,
                       uint32_t n) {
  dmd_node_t *node = dmd_trees_at(trees, id);
  node->is_hidden = true;
  node->n_kids = n;
  node->first_kid = link_nodes(trees, kids, n);
  for (uint32_t i = 0; i < n; i++) {
    dmd_node_t *kid = dmd_trees_at(trees, kids[i]);
    kid->parent = id;
    node->amount += kid->amount;
  }
  /* Each tiny node is smaller than every sibling that is shown; only their sum may exceed one. */
  node->extent = dmd_magnitude(node->amount);
  node->parent = parent;
}

/* Sorts the children of a node, and sets the tiny ones aside. ids is scratch space. */
static void shape_kids(dmd_trees_t *trees, uint32_t parent, uint32_t *ids, const order_t *order,
                       bool show_all) {
  uint32_t n = 0, n_large = 0;
  for (uint32_t id = dmd_trees_at(trees, parent)->first_kid; id != DMD_NONE;
       id = dmd_trees_at(trees, id)->next)
    ids[n++] = id;
  dmd_sort(trees->env, ids, n, compare_kids, order);
  /* Large nodes move to the front, in order; tiny ones are collected behind. */
  uint32_t *tiny = ids + n;
  uint32_t n_tiny = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!show_all && is_tiny(trees, ids[i]))
      tiny[n_tiny++] = ids[i];
    else
      ids[n_large++] = ids[i];
  }
  if (n_large == 0) {
    dmd_trees_at(trees, parent)->is_hidden = true;
    n_large = n;
  } else if (n_tiny == 1) {
    ids[n_large++] = tiny[0];
    dmd_sort(trees->env, ids, n_large, compare_kids, order);
  } else if (n_tiny > 1) {
    uint32_t aside = new_node(trees, parent, 0);
    adopt_tiny(trees, parent, aside, tiny, n_tiny);
    ids[n_large++] = aside;
    dmd_sort(trees->env, ids, n_large, compare_kids, order);
  }
  dmd_trees_at(trees, parent)->first_kid = link_nodes(trees, ids, n_large);
  dmd_trees_at(trees, parent)->n_kids = n_large;
}

static void mark_invalid(dmd_trees_t *trees) {
  for (uint32_t id = 1; id <= trees->nodes.last; id++) {
    dmd_node_t *node = dmd_trees_at(trees, id);
    int64_t whole = dmd_trees_at(trees, node->root)->amount;
    node->is_invalid = node->amount < 0 || node->amount > whole;
    trees->any_invalid |= node->is_invalid;
    for (uint32_t up = node->parent; node->is_invalid && up != DMD_NONE;
         up = dmd_trees_at(trees, up)->parent)
      dmd_trees_at(trees, up)->is_hidden = false;
  }
}

static void sort_roots(dmd_trees_t *trees, uint32_t *ids, const order_t *order) {
  uint32_t n = 0;
  for (uint32_t id = trees->first_root; id != DMD_NONE; id = dmd_trees_at(trees, id)->next)
    ids[n++] = id;
  dmd_sort(trees->env, ids, n, compare_roots, order);
  trees->first_root = link_nodes(trees, ids, n);
}

void dmd_trees_finish(dmd_trees_t *trees, bool is_diff, bool show_all) {
  close_tree(trees);
  uint32_t n = trees->nodes.last;
  order_t order = {trees, is_diff};
  /* Space for a node's children twice (sorted, and tiny ones) and for the node of tiny ones. */
  uint32_t *ids = dmd_env_alloc(trees->env, "dmd.trees.kids", (2 * (size_t)n + 1) * sizeof *ids);
  for (uint32_t id = 1; id <= n; id++)
    if (dmd_trees_at(trees, id)->first_kid != DMD_NONE)
      shape_kids(trees, id, ids, &order, show_all);
  sort_roots(trees, ids, &order);
  dmd_env_free(trees->env, ids);
  if (!is_diff)
    mark_invalid(trees);
}

/* ---- One tree for each process. ---- */

static const char MAIN[] = "Main Process";

static dmd_process_t find_process(const dmd_amounts_t *m, uint32_t from) {
  uint32_t process = dmd_amounts_at(m, m->order[from])->process;
  const char *name = dmd_intern_get_str(&m->strings, process);
  dmd_process_t p = {.from = from, .to = from, .resident = -1};
  p.name = name[0] != '\0' ? name : MAIN;
  p.is_main = dmd_str_begins(p.name, MAIN);
  for (; p.to < m->n_order; p.to++) {
    const dmd_amount_t *r = dmd_amounts_at(m, m->order[p.to]);
    if (r->process != process)
      break;
    if (dmd_str_equal(dmd_amounts_path(m, m->order[p.to]), "resident"))
      p.resident = r->amount;
  }
  return p;
}

/* ctx is the array; the ids are indexes into it, from 0. */
static int compare_processes(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_process_t *a = (const dmd_process_t *)ctx + x, *b = (const dmd_process_t *)ctx + y;
  if (a->is_main != b->is_main)
    return a->is_main ? -1 : 1;
  if (a->resident != b->resident)
    return a->resident > b->resident ? -1 : 1;
  return dmd_str_compare(a->name, b->name);
}

dmd_process_t *dmd_amounts_processes(const dmd_amounts_t *m, uint32_t *n) {
  size_t room = (size_t)m->n_order + 1;
  dmd_process_t *found = dmd_env_alloc(m->env, "dmd.tree.processes", room * sizeof *found);
  uint32_t *order = dmd_env_alloc(m->env, "dmd.tree.processes", room * sizeof *order);
  *n = 0;
  for (uint32_t from = 0; from < m->n_order; from = found[(*n)++].to) {
    found[*n] = find_process(m, from);
    order[*n] = *n;
  }
  dmd_sort(m->env, order, *n, compare_processes, found);
  dmd_process_t *sorted =
      dmd_env_alloc(m->env, "dmd.tree.processes", ((size_t)*n + 1) * sizeof *sorted);
  for (uint32_t i = 0; i < *n; i++)
    sorted[i] = found[order[i]];
  dmd_env_free(m->env, order);
  dmd_env_free(m->env, found);
  return sorted;
}

void dmd_process_trees(const dmd_process_t *process, const dmd_amounts_t *m, dmd_trees_t *trees,
                       bool show_all) {
  dmd_trees_init(trees, m->env);
  for (uint32_t i = process->from; i < process->to; i++)
    dmd_trees_add(trees, dmd_amounts_path(m, m->order[i]), dmd_amounts_at(m, m->order[i]));
  dmd_trees_finish(trees, m->is_diff, show_all);
}
