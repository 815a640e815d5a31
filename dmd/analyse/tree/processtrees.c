/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/processtrees.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"

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
