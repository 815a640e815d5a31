/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * leakcheck.h: checks a loaded heap graph for leaks, for dmdv leaks and dmdv check.
 */
#ifndef DMD_DMDV_GRAPH_LEAKCHECK_H
#define DMD_DMDV_GRAPH_LEAKCHECK_H

#include "analyse/graph/leakrows.h"
#include "analyse/limits/ignore.h"
#include "dmdv/graph/graphcommand.h"

typedef struct dmdv_leakcheck {
  dmd_kinds_t *kinds;
  dmd_leaks_t leaks;
  dmd_records_t records;
  uint32_t *ignored_by;
  dmd_leakrows_t rows;
} dmdv_leakcheck_t;

/* ignore may have no patterns; picks: by node, NULL: all blocks. The struct must not move. */
void dmdv_leakcheck_init(dmdv_leakcheck_t *check, dmdv_graph_t *graph, uint32_t max_frames,
                         dmd_ignore_t *ignore, const bool *picks);
void dmdv_leakcheck_destroy(dmdv_leakcheck_t *check);

#endif
