/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_referrers.h: what points to a block of a heap graph, or to what it points, as text and as
 * JSON.
 */
#ifndef DMD_TEXT_TEXT_REFERRERS_H
#define DMD_TEXT_TEXT_REFERRERS_H

#include "base/out.h"
#include "graph/kinds.h"
#include "graph/referrers.h"

typedef struct dmd_referrers_view {
  dmd_kinds_t *kinds;
  const dmd_referrers_t *referrers; /* NULL: where the block's own pointers lead is shown */
  const dmd_refchain_t *chain;      /* the block, and those that lead to it one by one */
  const bool *picks;                /* by node: whose pointers count; NULL: all */
  uint32_t max_frames;              /* of stacks */
  uint32_t max_rows;                /* 0: all; not of JSON */
} dmd_referrers_view_t;

/* A paragraph for the block, and one for each that points to it. */
void dmd_referrers_print(dmd_out_t *out, const dmd_referrers_view_t *view);

/* {"steps": [{"block": {"address", "requested", "slop", "type", "evidence", "allocatedAt"},
 *   "referrers": [{"root"} or as "block", with "pointers": [{"member", "offset", "into",
 *   "doubtful"}]],
 *   "pointers": [{"member", "offset", "into", "doubtful", "to": as "block"}]}], "end"} */
void dmd_referrers_json(dmd_out_t *out, const dmd_referrers_view_t *view);

#endif
