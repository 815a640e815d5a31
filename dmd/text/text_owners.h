/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_owners.h: who should have measured the unreported blocks, as text and as JSON.
 */
#ifndef DMD_TEXT_TEXT_OWNERS_H
#define DMD_TEXT_TEXT_OWNERS_H

#include "base/jsonout.h"
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

/* Parts of it, as members of the object that is open: the sum, and rows [first, end). */
void dmd_owners_write_sum(dmd_jsonout_t *j, const dmd_owners_view_t *view);
void dmd_owners_write_rows(dmd_jsonout_t *j, const dmd_owners_view_t *view, uint32_t first,
                           uint32_t end);

/* The same for the records of another profile of the same moment, by their stacks. */
typedef struct dmd_owner_advice {
  const dmd_owners_view_t *view;
  dmd_intern_t stacks; /* frames of the graph's unreported records, a line each */
  dmd_pool_t records;  /* by stack: uint32_t, a record of the graph's */
} dmd_owner_advice_t;

/* Must stay where it is. The view's records must be cut as those that advice is wanted for. */
void dmd_owner_advice_init(dmd_owner_advice_t *advice, const dmd_owners_view_t *view);
void dmd_owner_advice_destroy(dmd_owner_advice_t *advice);

/* Prints what dmd_owners_print_advice does, for a record of those others. False: nothing is known.
 */
bool dmd_owner_advice_print(dmd_out_t *out, const dmd_owner_advice_t *advice,
                            const dmd_records_t *records, const dmd_record_t *record);

#endif
