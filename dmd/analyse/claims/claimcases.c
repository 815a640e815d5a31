/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/claims/claimcases.h"

#include "base/sort.h"
#include "base/strbuf.h"

void dmd_claimcases_init(dmd_claimcases_t *cases, const dmd_env_t *env) {
  *cases = (dmd_claimcases_t){.env = env};
  dmd_intern_init(&cases->names, env, "dmd.claimcases.names");
  dmd_pool_init(&cases->cases, env, "dmd.claimcases.cases", sizeof(dmd_claim_case_t));
  dmd_pool_init(&cases->parts, env, "dmd.claimcases.parts", sizeof(dmd_claim_part_t));
  dmd_pool_init(&cases->functions, env, "dmd.claimcases.functions",
                sizeof(dmd_claim_function_sums_t));
}

void dmd_claimcases_destroy(dmd_claimcases_t *cases) {
  dmd_pool_destroy(&cases->functions);
  dmd_pool_destroy(&cases->parts);
  dmd_pool_destroy(&cases->cases);
  dmd_intern_destroy(&cases->names);
}

dmd_claim_function_sums_t *dmd_claimcases_function(dmd_claimcases_t *cases, uint32_t name) {
  for (uint32_t id = 1; id <= cases->functions.last; id++) {
    dmd_claim_function_sums_t *sums = DMD_POOL_AT(&cases->functions, dmd_claim_function_sums_t, id);
    if (sums->name == name)
      return sums;
  }
  uint32_t id = dmd_pool_add(&cases->functions);
  dmd_claim_function_sums_t *sums = DMD_POOL_AT(&cases->functions, dmd_claim_function_sums_t, id);
  *sums = (dmd_claim_function_sums_t){.name = name};
  return sums;
}

/* Ids of parts count from 1. */
static int compare_parts(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_claim_part_t *parts = ctx;
  const dmd_claim_part_t *x = &parts[a - 1], *y = &parts[b - 1];
  if (x->is_shared != y->is_shared)
    return x->is_shared - y->is_shared;
  return (x->key > y->key) - (x->key < y->key);
}

static uint32_t key_of(dmd_claimcases_t *cases, const dmd_claim_part_t *part) {
  const uint32_t key[] = {part->name, part->is_shared};
  return dmd_intern_bytes(&cases->names, key, sizeof key);
}

void dmd_claimcases_add(dmd_claimcases_t *cases, const dmd_claim_case_t *added,
                        dmd_claim_part_t *parts, uint32_t n_parts) {
  dmd_strbuf_t shape;
  dmd_strbuf_init(&shape, cases->env);
  uint32_t id = dmd_pool_add(&cases->cases);
  dmd_claim_case_t *c = DMD_POOL_AT(&cases->cases, dmd_claim_case_t, id);
  *c = *added;
  c->first_part = cases->parts.last + 1;
  c->n_parts = n_parts;
  c->n_retained = 0;
  for (uint32_t i = 0; i < n_parts; i++)
    parts[i].key = key_of(cases, &parts[i]);
  uint32_t *order = dmd_sorted_ids(cases->env, n_parts, compare_parts, parts);
  for (uint32_t i = 0; i < n_parts; i++) {
    const dmd_claim_part_t *part = &parts[order[i] - 1];
    uint32_t kept = dmd_pool_add(&cases->parts);
    *DMD_POOL_AT(&cases->parts, dmd_claim_part_t, kept) = *part;
    if (order[i] == 1)
      c->object_part = i;
    if (part->is_shared)
      continue;
    c->n_retained++;
    dmd_strbuf_bytes(&shape, (const char *)&part->key, sizeof part->key);
  }
  c->shape = dmd_intern_bytes(&cases->names, shape.text, shape.n);
  dmd_env_free(cases->env, order);
  dmd_strbuf_destroy(&shape);
}

const dmd_claim_part_t *dmd_claimcases_find(const dmd_claimcases_t *cases,
                                            const dmd_claim_case_t *c, uint32_t key) {
  for (uint32_t i = 0; i < c->n_parts; i++) {
    const dmd_claim_part_t *part = dmd_claimcases_part(cases, c, i);
    if (part->key == key)
      return part;
  }
  return NULL;
}

static uint32_t copy_stack(dmd_profile_t *to, const dmd_profile_t *from, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(from, stack, &n);
  uint32_t *copied = dmd_env_alloc(to->env, "dmd.claimcases", (n + 1) * sizeof *copied);
  for (size_t i = 0; i < n; i++)
    copied[i] = dmd_frames_copy(&to->frames, &from->frames, frames[i]);
  uint32_t id = dmd_profile_stack(to, copied, n);
  dmd_env_free(to->env, copied);
  return id;
}

void dmd_claimcases_move_stacks(dmd_claimcases_t *cases, uint32_t first, dmd_profile_t *to,
                                const dmd_profile_t *from) {
  for (uint32_t id = first; id <= cases->cases.last; id++) {
    dmd_claim_case_t *c = DMD_POOL_AT(&cases->cases, dmd_claim_case_t, id);
    if (c->stack != DMD_NONE)
      c->stack = copy_stack(to, from, c->stack);
  }
}
