/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_rows.h: blocks added up by reporter, tag, thread, function, library or file, as a table and
 * as JSON.
 *
 * {"mode", "heap": {"bytes", "blocks"}, "rows": [{"name", "blocks", "bytes", "twice-reported",
 *  "unreported", "once-reported"}]}, the last three, bytes, in dark-matter mode only.
 */
#ifndef DMD_TEXT_TEXT_ROWS_H
#define DMD_TEXT_TEXT_ROWS_H

#include "analysis/rows.h"
#include "base/jsonout.h"
#include "base/out.h"

/* Prints the rows, so many at most (0: all). The name is last. */
void dmd_rows_print(dmd_out_t *out, const dmd_rows_t *rows, uint32_t max_rows);

/* All of them. */
void dmd_rows_json(dmd_out_t *out, const dmd_rows_t *rows);

/* Writes blocks and bytes, in all and in each state, as members of the object that is open. */
void dmd_rows_write_tally(dmd_jsonout_t *j, const dmd_tally_t *tally, dmd_mode_t mode);

#endif
