/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_waste.h: what the blocks of a heap graph waste, as text and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_WASTE_H
#define DMD_SHOW_TEXT_TEXT_WASTE_H

#include "analyse/waste/waste.h"
#include "base/jsonout.h"
#include "base/out.h"

/* Appends what could be saved and the finding that saves most of it, in two sentences; nothing
 * without findings. Names are escaped. */
void dmd_waste_sentence(dmd_strbuf_t *to, const dmd_waste_t *waste);

/* Appends the type of a finding's blocks, and the line that allocated them, or that with two
 * callers. Names are escaped. */
void dmd_waste_what(dmd_strbuf_t *to, const dmd_waste_t *waste, const dmd_waste_finding_t *finding,
                    bool with_callers);

/* Prints the total, then a table of findings, or their sums by something, at most max_rows (0:
 * all). Leaves out findings all of whose bytes others count. */
void dmd_waste_print(dmd_out_t *out, const dmd_waste_t *waste, dmd_waste_by_t by,
                     uint32_t max_rows);

/* {"heap", "total": {"blocks", "bytes"}, "kinds": {KIND: bytes}, "rows": [{"name", "findings",
 * "counted"}], "findings": [{"kind", "bytes", "counted", "blocks", "type", "evidence",
 * "allocatedAt", "advice", ...}]}. "rows" is left out for DMD_WASTE_BY_FINDING. */
void dmd_waste_json(dmd_out_t *out, const dmd_waste_t *waste, dmd_waste_by_t by);

/* Parts of it, as members of the open object: the sums, and what is known of a finding. */
void dmd_waste_write_sums(dmd_jsonout_t *j, const dmd_waste_t *waste);
void dmd_pagebytes_write(dmd_jsonout_t *j, const dmd_pagebytes_t *pages);
void dmd_waste_write_members(dmd_jsonout_t *j, const dmd_waste_t *waste,
                             const dmd_waste_finding_t *finding);

#endif
