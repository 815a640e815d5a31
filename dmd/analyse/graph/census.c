/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/census.h"

#include "base/sort.h"
#include "base/str.h"

/* ---- Keys. ---- */

static bool add_key(dmd_census_by_t *by, const char *word, size_t n, dmd_strbuf_t *why) {
  dmd_nodekey_t key = dmd_nodekey_of(word, n);
  if (key == DMD_N_KEYS) {
    dmd_strbuf_str(why, "\"");
    dmd_strbuf_bytes(why, word, n);
    dmd_strbuf_str(why, "\" is not one of");
    for (int i = 0; i < DMD_N_KEYS; i++) {
      dmd_strbuf_str(why, i == 0 ? " " : ", ");
      dmd_strbuf_str(why, dmd_nodekey_name((dmd_nodekey_t)i));
    }
    return false;
  }
  for (uint32_t i = 0; i < by->n; i++)
    if (by->keys[i] == key) {
      dmd_strbuf_str(why, dmd_nodekey_name(key));
      dmd_strbuf_str(why, " is given twice");
      return false;
    }
  if (by->n == DMD_CENSUS_LEVELS) {
    dmd_strbuf_str(why, "more than ");
    dmd_strbuf_u64(why, DMD_CENSUS_LEVELS);
    dmd_strbuf_str(why, " keys");
    return false;
  }
  by->keys[by->n++] = key;
  return true;
}

bool dmd_census_by_parse(dmd_census_by_t *by, const char *list, dmd_strbuf_t *why) {
  by->n = 0;
  for (;;) {
    const char *comma = dmd_str_find_char(list, ',');
    size_t n = comma != NULL ? (size_t)(comma - list) : dmd_str_length(list);
    if (!add_key(by, list, n, why))
      return false;
    if (comma == NULL)
      return true;
    list = comma + 1;
  }
}

/* ---- Rows. ---- */

typedef struct {
  uint32_t parent, name;
} row_key_t;

static dmd_census_row_t *row_at(const dmd_census_t *census, uint32_t id) {
  return DMD_POOL_AT(&census->rows, dmd_census_row_t, id);
}

static bool row_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_census_row_t *row = row_at(owner, id);
  const row_key_t *k = key;
  return row->parent == k->parent && row->name == k->name;
}

void dmd_census_init(dmd_census_t *census, const dmd_env_t *env, const dmd_census_by_t *by) {
  *census = (dmd_census_t){.env = env, .by = *by};
  dmd_pool_init(&census->rows, env, "dmd.census", sizeof(dmd_census_row_t));
  dmd_table_init(&census->index, env, "dmd.census", row_equal, census);
  for (uint32_t level = 0; level < by->n; level++)
    dmd_intern_init(&census->names[level], env, "dmd.census");
}

void dmd_census_destroy(dmd_census_t *census) {
  dmd_env_free(census->env, census->order);
  for (uint32_t level = 0; level < census->by.n; level++)
    dmd_intern_destroy(&census->names[level]);
  dmd_table_destroy(&census->index);
  dmd_pool_destroy(&census->rows);
}

static uint32_t find_row(dmd_census_t *census, uint32_t level, row_key_t key) {
  uint64_t hash = dmd_table_hash(&census->index, (uint64_t)key.parent << 32 | key.name);
  uint32_t id = dmd_table_find(&census->index, hash, &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&census->rows);
    *row_at(census, id) = (dmd_census_row_t){
        .parent = key.parent, .name = key.name, .level = level, .evidence = DMD_N_EVIDENCES};
    dmd_table_add(&census->index, hash, id);
  }
  return id;
}

/* ---- Counting. ---- */

/* The graph being counted. */
typedef struct {
  dmd_census_t *census;
  dmd_nodekeys_t *keys;
  dmd_nesting_sizes_t sizes;
  int64_t sign;
  dmd_pool_t values[DMD_CENSUS_LEVELS]; /* by level and value: value_t */
} counter_t;

/* A value of the graph: its name in the census, and the row of the latest block with it. Most
 * values, such as stacks, occur in few rows. */
typedef struct {
  uint32_t name, parent, row;
} value_t;

static uint32_t row_of(counter_t *c, uint32_t level, uint32_t parent, uint32_t node) {
  dmd_nodekey_t key = c->census->by.keys[level];
  uint32_t number = dmd_nodekeys_value(c->keys, key, node);
  if (number > c->values[level].last)
    dmd_pool_reach(&c->values[level], number);
  value_t *value = DMD_POOL_AT(&c->values[level], value_t, number);
  if (value->name == DMD_NONE)
    value->name = dmd_intern_str(&c->census->names[level], dmd_nodekeys_name(c->keys, key, number));
  if (value->row == DMD_NONE || value->parent != parent) {
    value->parent = parent;
    value->row = find_row(c->census, level, (row_key_t){parent, value->name});
  }
  return value->row;
}

static void add_to(dmd_census_row_t *row, int64_t sign, dmd_own_size_t size) {
  row->blocks += sign;
  row->szB += sign * (int64_t)size.szB;
  row->slop += sign * (int64_t)size.slop;
}

static void count(counter_t *c, uint32_t node) {
  dmd_census_t *census = c->census;
  dmd_own_size_t size = dmd_nesting_own(&c->sizes, node);
  uint32_t parent = DMD_NONE;
  add_to(&census->total, c->sign, size);
  for (uint32_t level = 0; level < census->by.n; level++) {
    parent = row_of(c, level, parent, node);
    dmd_census_row_t *row = row_at(census, parent);
    add_to(row, c->sign, size);
    if (census->by.keys[level] == DMD_KEY_TYPE && row->evidence > DMD_EVIDENCE_NONE) {
      uint32_t evidence = dmd_typing_evidence(c->keys->kinds->typing, node);
      row->evidence = evidence < row->evidence ? evidence : row->evidence;
    }
  }
}

void dmd_census_add(dmd_census_t *census, dmd_nodekeys_t *keys, dmd_nodefilter_t *filters,
                    uint32_t n_filters, int sign) {
  const dmd_heapgraph_t *graph = keys->graph;
  counter_t c = {.census = census, .keys = keys, .sign = sign};
  dmd_nesting_init(&c.sizes, graph);
  for (uint32_t level = 0; level < census->by.n; level++)
    dmd_pool_init(&c.values[level], census->env, "dmd.census", sizeof(value_t));
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    dmd_env_tell(census->env, "census", node, graph->graph.n_nodes);
    if (dmd_nodefilters_pass(filters, n_filters, keys, node))
      count(&c, node);
  }
  for (uint32_t level = 0; level < census->by.n; level++)
    dmd_pool_destroy(&c.values[level]);
  dmd_nesting_destroy(&c.sizes);
}

/* ---- Sorting. ---- */

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_census_t *census = ctx;
  const dmd_census_row_t *x = row_at(census, a), *y = row_at(census, b);
  if (x->parent != y->parent)
    return x->parent < y->parent ? -1 : 1;
  int order = dmd_compare_magnitudes(x->szB, y->szB);
  if (order == 0)
    order = dmd_compare_magnitudes(x->blocks, y->blocks);
  return order != 0 ? order
                    : dmd_str_compare(dmd_census_name(census, x), dmd_census_name(census, y));
}

/* Marks non-empty rows in `n`, which is not used yet. Rows come after their parents. */
static void find_empty(dmd_census_t *census) {
  for (uint32_t id = census->rows.last; id > 0; id--) {
    dmd_census_row_t *row = row_at(census, id);
    if (row->blocks != 0 || row->szB != 0 || row->slop != 0)
      row->n = 1;
    if (row->n > 0 && row->parent != DMD_NONE)
      row_at(census, row->parent)->n = 1;
  }
}

void dmd_census_finish(dmd_census_t *census) {
  uint32_t n = 0;
  find_empty(census);
  uint32_t *order =
      dmd_env_alloc(census->env, "dmd.census", ((size_t)census->rows.last + 1) * sizeof *order);
  for (uint32_t id = 1; id <= census->rows.last; id++) {
    dmd_census_row_t *row = row_at(census, id);
    if (row->n > 0)
      order[n++] = id;
    row->n = 0;
  }
  dmd_sort(census->env, order, n, compare_rows, census);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t parent = row_at(census, order[i])->parent;
    dmd_census_row_t *outer = parent == DMD_NONE ? &census->total : row_at(census, parent);
    if (outer->n++ == 0)
      outer->first = i;
  }
  census->order = order;
}
