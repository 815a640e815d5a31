/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/claimsets.h"

#include "base/fnname.h"
#include "base/str.h"

enum {
  FREE_VISITS = 1 << 24, /* blocks that walks may visit in any program */
  VISITS_EACH = 16       /* and further ones for each allocation and free */
};

typedef struct {
  const char *tag, *glob; /* one of them is NULL */
  dmd_stacks_t verdicts;  /* by stack: MATCHES, DIFFERS; 0: not compared yet */
  dmd_graph_sum_t sum;
  uint64_t n_events; /* allocations and frees before the sum, plus 1; 0: there is no sum */
} set_t;

enum { MATCHES = 1, DIFFERS };

void dmd_claimsets_init(dmd_claimsets_t *sets, const dmd_env_t *env, const dmd_engine_host_t *host,
                        dmd_live_t *live) {
  *sets = (dmd_claimsets_t){.env = env, .host = host, .live = live};
  dmd_pool_init(&sets->sets, env, "dmd.claimsets", sizeof(set_t));
}

void dmd_claimsets_destroy(dmd_claimsets_t *sets) {
  for (uint32_t i = 1; i <= sets->sets.last; i++)
    dmd_stacks_destroy(&DMD_POOL_AT(&sets->sets, set_t, i)->verdicts);
  dmd_pool_destroy(&sets->sets);
}

uint32_t dmd_claimsets_add(dmd_claimsets_t *sets, const char *text) {
  static const char tag[] = "tag:";
  const char *what = dmd_str_find(text, ":") + 1;
  uint32_t number = dmd_pool_add(&sets->sets);
  set_t *set = DMD_POOL_AT(&sets->sets, set_t, number);
  bool is_tag = dmd_str_begins(text, tag);
  *set = (set_t){.tag = is_tag ? what : NULL, .glob = is_tag ? NULL : what};
  dmd_stacks_init(&set->verdicts, sets->env);
  return number;
}

/* ---- Walks. ---- */

typedef struct {
  dmd_claimsets_t *sets;
  set_t *set;
  uint32_t tag;
  bool matches; /* a function of the stack that is compared does */
} walk_t;

static void compare_function(void *ctx, const dmd_function_t *function) {
  walk_t *w = ctx;
  w->matches = w->matches || dmd_fnname_matches(w->set->glob, function->name);
}

static bool is_of_stack(walk_t *w, uint32_t stack) {
  const dmd_engine_host_t *host = w->sets->host;
  uintptr_t verdict = dmd_stacks_get(&w->set->verdicts, stack);
  if (verdict != 0)
    return verdict == MATCHES;
  uint32_t n;
  w->matches = false;
  for (uint32_t i = 0; !w->matches; i++) {
    const dmd_code_t *codes = host->codes(host->ctx, stack, &n);
    if (i >= n)
      break;
    dmd_host_functions_now(host, codes[i], compare_function, w);
  }
  dmd_stacks_set(&w->set->verdicts, stack, w->matches ? MATCHES : DIFFERS);
  return w->matches;
}

static void visit(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *w = ctx;
  (void)addr;
  w->sets->n_visited++;
  bool is_of_set = w->set->tag != NULL ? block->tag == w->tag && w->tag != DMD_NONE
                                       : block->stack != DMD_NONE && is_of_stack(w, block->stack);
  if (!is_of_set)
    return;
  w->set->sum.blocks++;
  w->set->sum.req += block->req;
  w->set->sum.usable += dmd_block_usable(block);
}

bool dmd_claimsets_measure(dmd_claimsets_t *sets, uint32_t number, dmd_graph_sum_t *sum) {
  walk_t w = {.sets = sets, .set = DMD_POOL_AT(&sets->sets, set_t, number)};
  dmd_totals_t totals = dmd_live_totals(sets->live);
  uint64_t n_events = totals.n_allocs + totals.n_frees;
  /* A program that announces blocks can resize them without an event. */
  bool is_known = w.set->n_events == n_events + 1 && !dmd_blocks_may_nest(sets->live->blocks);
  if (!is_known && sets->n_visited > FREE_VISITS + VISITS_EACH * n_events)
    return false;
  if (!is_known) {
    if (w.set->tag != NULL)
      w.tag = dmd_intern_find_text(&sets->live->tag_names, w.set->tag);
    w.set->sum = (dmd_graph_sum_t){.blocks = 0};
    w.set->n_events = n_events + 1;
    dmd_blocks_walk(sets->live->blocks, visit, &w);
  }
  *sum = w.set->sum;
  return true;
}
