/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_owners.h: who should have measured the unreported blocks, as text and as JSON.
 */
#ifndef DMD_TEXT_TEXT_OWNERS_H
#define DMD_TEXT_TEXT_OWNERS_H

#include "base/out.h"
#include "graph/proposal.h"

typedef struct dmd_owners_view {
  const dmd_owners_t *owners;
  const dmd_variable_namer_t *namer; /* NULL: nobody knows variables */
  uint32_t max_records;              /* shown at most; 0: all. In JSON all are */
} dmd_owners_view_t;

/* A paragraph for each unreported record: biggest first. */
void dmd_owners_print(dmd_out_t *out, const dmd_owners_view_t *view);

/* What stands in such a paragraph behind the stack: `  Owner: ...`, and the proposal. */
void dmd_owners_print_advice(dmd_out_t *out, const dmd_owners_view_t *view,
                             const dmd_record_t *record);

/* {"unreported": {"blocks", "bytes"}, "rows": [{"record", "type", "evidence", "blocks", "bytes",
 *  "allocatedAt", "owner": {"owned", "blocks", "bytes", "reporter", "reportedAt", "type", "member",
 *  "through", "root"}, "proposal": {"line", "function", "file", "at"}}]} */
void dmd_owners_json(dmd_out_t *out, const dmd_owners_view_t *view);

#endif
