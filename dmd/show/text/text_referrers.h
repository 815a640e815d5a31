/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_referrers.h: the referrers to a block of a heap graph, or the blocks it points to, as text
 * and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_REFERRERS_H
#define DMD_SHOW_TEXT_TEXT_REFERRERS_H

#include "analyse/graph/kinds.h"
#include "base/out.h"
#include "model/graph/referrers.h"

typedef struct dmd_referrers_view {
  dmd_kinds_t *kinds;
  const dmd_referrers_t *referrers; /* NULL: show where the block's own pointers lead */
  const dmd_refchain_t *chain;      /* the block, and a chain of single referrers to it */
  const bool *picks;                /* by node: whether its pointers count; NULL: all do */
  uint32_t max_frames;              /* of stacks */
  uint32_t max_rows;                /* 0: all; not used for JSON */
} dmd_referrers_view_t;

/* Prints a paragraph for the block, and one for each referrer. */
void dmd_referrers_print(dmd_out_t *out, const dmd_referrers_view_t *view);

/* {"steps": [{"block": {"address", "requested", "slop", "type", "evidence", "allocatedAt"},
 *   "referrers": [{"root"} or as "block", with "pointers": [{"member", "offset", "into",
 *   "doubtful"}]],
 *   "pointers": [{"member", "offset", "into", "doubtful", "to": as "block"}]}], "end"} */
void dmd_referrers_json(dmd_out_t *out, const dmd_referrers_view_t *view);

#endif
