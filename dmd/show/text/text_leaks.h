/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_leaks.h: the result of a leak check, as text and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_LEAKS_H
#define DMD_SHOW_TEXT_TEXT_LEAKS_H

#include "analyse/graph/leakrows.h"
#include "base/jsonout.h"

typedef struct dmd_leaks_view {
  const dmd_leakrows_t *rows;
  dmd_kinds_t *kinds;
  unsigned states;   /* of the rows to show: bits 1 << dmd_leak_state_t */
  uint32_t max_rows; /* per state; 0: all. JSON always has all */
} dmd_leaks_view_t;

/* Prints a paragraph for each row, then the sums. */
void dmd_leaks_print(dmd_out_t *out, const dmd_leaks_view_t *view);

/* {"definitely": {"blocks", "bytes"}, "indirectly", "possibly", "reachable", "ignored" likewise,
 *  "rows": [{"state", "type", "evidence", "blocks", "bytes", "hangingBlocks", "hangingBytes",
 *            "allocatedAt"}]} */
void dmd_leaks_json(dmd_out_t *out, const dmd_leaks_view_t *view);

/* Parts of it, as members of the open object: the sums, and rows [first, end). */
void dmd_leaks_write_sums(dmd_jsonout_t *j, const dmd_leaks_view_t *view);
void dmd_leaks_write_rows(dmd_jsonout_t *j, const dmd_leaks_view_t *view, uint32_t first,
                          uint32_t end);

#endif
