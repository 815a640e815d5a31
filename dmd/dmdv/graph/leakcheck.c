/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/leakcheck.h"

#include "host/process.h"

void dmdv_leakcheck_init(dmdv_leakcheck_t *check, dmdv_graph_t *graph, uint32_t max_frames,
                         dmd_ignore_t *ignore, const bool *picks) {
  *check = (dmdv_leakcheck_t){.kinds = &graph->kinds};
  if (ignore->n > 0)
    check->ignored_by = dmd_ignore_stacks(ignore, &graph->typed.heap.profile);
  dmd_leaks_init(&check->leaks, &graph->typed.heap, DMD_LEAKS_AS_MEMCHECK);
  dmd_records_init(&check->records, &graph->typed.heap.profile, max_frames, DMD_SORT_USABLE);
  dmd_leakrows_init(&check->rows, &check->leaks, &graph->kinds, &check->records, check->ignored_by,
                    picks);
}

void dmdv_leakcheck_destroy(dmdv_leakcheck_t *check) {
  dmd_leakrows_destroy(&check->rows);
  dmd_records_destroy(&check->records);
  dmd_leaks_destroy(&check->leaks);
  dmd_env_free(&dmdv_env, check->ignored_by);
}
