/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/reporterruns.h"

static bool run_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_reporter_runs_at(owner, id)->reporter == *(const uint32_t *)key;
}

void dmd_reporter_runs_init(dmd_reporter_runs_t *runs, const dmd_env_t *env) {
  dmd_pool_init(&runs->pool, env, "dmd.reporterruns", sizeof(dmd_reporter_run_t));
  dmd_table_init(&runs->index, env, "dmd.reporterruns.index", run_equal, runs);
}

void dmd_reporter_runs_destroy(dmd_reporter_runs_t *runs) {
  dmd_table_destroy(&runs->index);
  dmd_pool_destroy(&runs->pool);
}

void dmd_reporter_runs_add(dmd_reporter_runs_t *runs, uint32_t reporter, uint64_t n) {
  uint64_t hash = dmd_table_hash(&runs->index, reporter);
  uint32_t id = dmd_table_find(&runs->index, hash, &reporter);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&runs->pool);
    *DMD_POOL_AT(&runs->pool, dmd_reporter_run_t, id) = (dmd_reporter_run_t){.reporter = reporter};
    dmd_table_add(&runs->index, hash, id);
  }
  DMD_POOL_AT(&runs->pool, dmd_reporter_run_t, id)->n += n;
}
