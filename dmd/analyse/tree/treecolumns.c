/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/treecolumns.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"

static const char ALL[] = "All Processes", OWN[] = "/(own)";

/* ---- Sums. ---- */

static const char *add_sums(dmd_amounts_t *sums, const dmd_amounts_t *m, const char **path) {
  for (uint32_t id = 1; id <= m->pool.last; id++) {
    const dmd_amount_t *a = dmd_amounts_at(m, id);
    if (a->dropped || a->units == DMD_MEMREPORT_PERCENTAGE)
      continue;
    const dmd_memreport_t report = {.process = ALL,
                                    .path = dmd_amounts_path(m, id),
                                    .kind = a->kind,
                                    .units = a->units,
                                    .amount = a->amount,
                                    .times = 1};
    const char *why = dmd_amounts_add(sums, &report, a->shared);
    if (why != NULL) {
      *path = report.path;
      return why;
    }
  }
  return dmd_amounts_settle(sums, path);
}

/* Sums over several processes must not look like repeated reports. */
static void forget_times(dmd_amounts_t *sums) {
  for (uint32_t i = 0; i < sums->n_order; i++)
    dmd_amounts_at(sums, sums->order[i])->times = 1;
}

/* ---- Values of each process. ---- */

/* By path and process; the index into `values` is the id minus one. */
typedef struct {
  dmd_intern_t keys;
  dmd_pool_t values; /* int64_t */
  dmd_strbuf_t key;
} lookup_t;

static uint32_t key_of(lookup_t *l, const char *path, size_t n, uint32_t process) {
  dmd_strbuf_cut(&l->key, 0);
  dmd_strbuf_u64(&l->key, process);
  dmd_strbuf_str(&l->key, " ");
  dmd_strbuf_bytes(&l->key, path, n);
  return dmd_intern_find_str(&l->keys, l->key.text);
}

static void fill(lookup_t *l, const dmd_treecolumns_t *c, const dmd_amounts_t *m) {
  for (uint32_t i = 0; i < c->n; i++)
    for (uint32_t k = c->processes[i].from; k < c->processes[i].to; k++) {
      const char *path = dmd_amounts_path(m, m->order[k]);
      key_of(l, path, dmd_str_length(path), i);
      uint32_t id = dmd_intern_str(&l->keys, l->key.text);
      dmd_pool_reach(&l->values, id);
      *DMD_POOL_AT(&l->values, int64_t, id) = dmd_amounts_at(m, m->order[k])->amount;
    }
}

/* If only other processes have the path as a parent, this one has the value without "(own)". */
static uint32_t find(lookup_t *l, const char *path, uint32_t process) {
  size_t n = dmd_str_length(path), n_own = sizeof OWN - 1;
  uint32_t id = key_of(l, path, n, process);
  bool is_own = n > n_own && dmd_str_equal(path + n - n_own, OWN);
  return id == DMD_NONE && is_own ? key_of(l, path, n - n_own, process) : id;
}

static void add_leaf(dmd_treecolumns_t *c, uint32_t leaf, uint32_t process, int64_t amount) {
  for (uint32_t id = leaf; id != DMD_NONE; id = dmd_trees_at(&c->trees, id)->parent) {
    size_t place = (size_t)(id - 1) * c->n + process;
    c->amounts[place] += amount;
    c->are_there[place] = true;
  }
}

static void add_leaves(dmd_treecolumns_t *c, lookup_t *l) {
  for (uint32_t id = 1; id <= c->trees.nodes.last; id++) {
    const dmd_amount_t *leaf = dmd_trees_at(&c->trees, id)->leaf;
    if (leaf == NULL)
      continue;
    const char *path = dmd_intern_get_str(&c->sums.strings, leaf->path);
    for (uint32_t i = 0; i < c->n; i++) {
      uint32_t found = find(l, path, i);
      if (found != DMD_NONE)
        add_leaf(c, id, i, *DMD_POOL_AT(&l->values, const int64_t, found));
    }
  }
}

static void make_columns(dmd_treecolumns_t *c, const dmd_amounts_t *m) {
  size_t n = (size_t)c->trees.nodes.last * c->n;
  lookup_t lookup;
  c->amounts = dmd_env_alloc(c->env, "dmd.treecolumns", (n + 1) * sizeof *c->amounts);
  c->are_there = dmd_env_alloc(c->env, "dmd.treecolumns", (n + 1) * sizeof *c->are_there);
  dmd_mem_zero(c->amounts, n * sizeof *c->amounts);
  dmd_mem_zero(c->are_there, n * sizeof *c->are_there);
  dmd_intern_init(&lookup.keys, c->env, "dmd.treecolumns");
  dmd_pool_init(&lookup.values, c->env, "dmd.treecolumns", sizeof(int64_t));
  dmd_strbuf_init(&lookup.key, c->env);
  fill(&lookup, c, m);
  add_leaves(c, &lookup);
  dmd_strbuf_destroy(&lookup.key);
  dmd_pool_destroy(&lookup.values);
  dmd_intern_destroy(&lookup.keys);
}

/* ---- Set-up. ---- */

const char *dmd_treecolumns_init(dmd_treecolumns_t *columns, dmd_amounts_t *m, bool show_all,
                                 const char **path) {
  *columns = (dmd_treecolumns_t){.env = m->env};
  dmd_amounts_init(&columns->sums, m->env, false);
  dmd_trees_init(&columns->trees, m->env);
  const char *why = add_sums(&columns->sums, m, path);
  if (why == NULL)
    why = dmd_amounts_settle(m, path);
  if (why != NULL)
    return why;
  forget_times(&columns->sums);
  columns->processes = dmd_amounts_processes(m, &columns->n);
  const dmd_amounts_t *sums = &columns->sums;
  for (uint32_t i = 0; i < sums->n_order; i++)
    dmd_trees_add(&columns->trees, dmd_amounts_path(sums, sums->order[i]),
                  dmd_amounts_at(sums, sums->order[i]));
  dmd_trees_finish(&columns->trees, false, show_all);
  make_columns(columns, m);
  return NULL;
}

void dmd_treecolumns_destroy(dmd_treecolumns_t *columns) {
  if (columns->amounts != NULL) {
    dmd_env_free(columns->env, columns->are_there);
    dmd_env_free(columns->env, columns->amounts);
  }
  if (columns->processes != NULL)
    dmd_env_free(columns->env, columns->processes);
  dmd_trees_destroy(&columns->trees);
  dmd_amounts_destroy(&columns->sums);
}
