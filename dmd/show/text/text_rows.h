/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_rows.h: sums of blocks by reporter, tag, thread, function, library or file, as a table and
 * as JSON.
 *
 * {"mode", "heap": {"bytes", "blocks"}, "rows": [{"name", "blocks", "bytes", "twice-reported",
 * "unreported", "once-reported"}]}, the last three in bytes and in dark-matter mode only.
 */
#ifndef DMD_SHOW_TEXT_TEXT_ROWS_H
#define DMD_SHOW_TEXT_TEXT_ROWS_H

#include "analyse/records/changes.h"
#include "analyse/records/rows.h"
#include "base/jsonout.h"
#include "base/out.h"

/* Prints at most max_rows rows (0: all). The name is the last column. */
void dmd_rows_print(dmd_out_t *out, const dmd_rows_t *rows, uint32_t max_rows);

/* Writes all rows. */
void dmd_rows_json(dmd_out_t *out, const dmd_rows_t *rows, uint32_t max_rows);

/* Writes blocks and bytes, in total and for each state, as members of the open object. */
void dmd_rows_write_tally(dmd_jsonout_t *j, const dmd_tally_t *tally, dmd_mode_t mode);

/* ---- Changes between two profiles. ----
 *
 * Describes the difference between two profiles in sentences. */

/* Prints one sentence about the whole, then at most max_places places (0: all). */
void dmd_changes_print(dmd_out_t *out, const dmd_changes_t *changes, uint32_t max_places);

/* Parts of it: the sentence about the whole ("The heap went from ...") and the change at a place
 * ("Grown, unreported"). */
void dmd_changes_print_whole(dmd_out_t *out, const dmd_changes_t *changes);
void dmd_changes_print_kind(dmd_out_t *out, const dmd_place_t *place);

#endif
