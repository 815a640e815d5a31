/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_retained.h: how much of a heap each root and block retains, as text and as JSON.
 *
 * Text has a line for each row, indented by its depth: retained bytes, their share of the heap, the
 * row's blocks and their own bytes, then the member that holds them and their type.
 */
#ifndef DMD_SHOW_TEXT_TEXT_RETAINED_H
#define DMD_SHOW_TEXT_TEXT_RETAINED_H

#include "analyse/graph/retainedrows.h"
#include "base/jsonout.h"

void dmd_retained_print(dmd_out_t *out, const dmd_retainedrows_t *rows);

/* {"total": {"blocks", "bytes", "retained"}, "rows": [{"name", "type", "evidence", "address",
 * "held", "blocks", "bytes", "retained", "retainedAtLeast", "rows"}]} */
void dmd_retained_json(dmd_out_t *out, const dmd_retainedrows_t *rows);

/* Parts of it, as members of the open object: "total", and a row without its inner rows. */
void dmd_retained_write_total(dmd_jsonout_t *j, const dmd_retainedrows_t *rows);
void dmd_retained_write_row(dmd_jsonout_t *j, const dmd_retainedrows_t *rows,
                            const dmd_retained_row_t *row);

#endif
