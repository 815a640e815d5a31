/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_census.h: the census of a heap graph as a table, and as JSON.
 *
 * JSON: {"total": {"blocks", "bytes", "slop"}, "rows": [{"key": {KEY: NAME}, "evidence", "blocks",
 * "bytes", "slop", "rows"}]}, see docs/format.md. A stack is a list of frames.
 */
#ifndef DMD_SHOW_TEXT_TEXT_CENSUS_H
#define DMD_SHOW_TEXT_TEXT_CENSUS_H

#include "analyse/graph/census.h"
#include "base/jsonout.h"

/* Prints the rows of a finished census, at most max_rows within each row (0: all). heap_szB: usable
 * bytes of all blocks, which shares refer to. */
void dmd_census_print(dmd_out_t *out, const dmd_census_t *census, int64_t heap_szB,
                      uint32_t max_rows);

void dmd_census_json(dmd_out_t *out, const dmd_census_t *census);

/* Parts of it, as members of the open object: a row without its inner rows, and the amounts of a
 * row or the total. */
void dmd_census_write_row(dmd_jsonout_t *j, const dmd_census_t *census,
                          const dmd_census_row_t *row);
void dmd_census_write_amounts(dmd_jsonout_t *j, const dmd_census_row_t *row);

#endif
