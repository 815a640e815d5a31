/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/wasted.h"

#include "base/sort.h"
#include "base/str.h"

void dmd_wasted_init(dmd_wasted_t *w, const dmd_env_t *env) {
  *w = (dmd_wasted_t){.env = env, .has_contents = true};
  dmd_intern_init(&w->texts, env, "dmd.wasted");
  dmd_pool_init(&w->findings, env, "dmd.wasted", sizeof(dmd_wasted_finding_t));
}

void dmd_wasted_destroy(dmd_wasted_t *w) {
  dmd_pool_destroy(&w->findings);
  dmd_intern_destroy(&w->texts);
}

static const char *keep(dmd_wasted_t *w, const char *text) {
  return dmd_intern_get_str(&w->texts, dmd_intern_str(&w->texts, text));
}

void dmd_wasted_add(dmd_wasted_t *w, const dmd_wasted_finding_t *finding) {
  uint32_t id = dmd_pool_add(&w->findings);
  dmd_wasted_finding_t *kept = DMD_POOL_AT(&w->findings, dmd_wasted_finding_t, id);
  *kept = *finding;
  kept->what = keep(w, finding->what);
  kept->advice = keep(w, finding->advice);
}

static bool is_of(const dmd_wasted_finding_t *finding, const char *kind) {
  return kind == NULL || dmd_str_equal(finding->kind, kind);
}

dmd_blocksum_t dmd_wasted_sum(const dmd_wasted_t *w, const char *kind) {
  dmd_blocksum_t sum = {0};
  if (kind == NULL)
    return w->total;
  for (uint32_t id = 1; id <= w->findings.last; id++) {
    const dmd_wasted_finding_t *finding = dmd_wasted_at(w, id);
    if (is_of(finding, kind))
      dmd_blocksum_add(&sum, (dmd_blocksum_t){.bytes = (int64_t)finding->bytes,
                                              .blocks = (int64_t)finding->blocks});
  }
  return sum;
}

typedef struct {
  const dmd_wasted_t *wasted;
  const char *kind;
} order_t;

/* 0 for findings that are not in the sum. */
static uint64_t rank_of(const order_t *order, uint32_t id) {
  const dmd_wasted_finding_t *finding = dmd_wasted_at(order->wasted, id);
  return is_of(finding, order->kind) ? dmd_wasted_bytes(finding, order->kind) : 0;
}

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  uint64_t x = rank_of(ctx, a), y = rank_of(ctx, b);
  return (x < y) - (x > y);
}

uint32_t *dmd_wasted_sorted(const dmd_wasted_t *w, const char *kind, uint32_t *n) {
  const order_t order = {w, kind};
  uint32_t *ids = dmd_sorted_ids(w->env, w->findings.last, compare, &order);
  *n = 0;
  while (*n < w->findings.last && rank_of(&order, ids[*n]) > 0)
    ++*n;
  return ids;
}
