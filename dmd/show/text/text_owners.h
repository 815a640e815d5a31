/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_owners.h: the owners that should have measured the unreported blocks, as text and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_OWNERS_H
#define DMD_SHOW_TEXT_TEXT_OWNERS_H

#include "analyse/graph/proposal.h"
#include "base/jsonout.h"

typedef struct dmd_owners_view {
  const dmd_owners_t *owners;
  const dmd_variable_namer_t *namer; /* NULL: variables have no names */
  uint32_t max_records;              /* 0: all. JSON always has all */
} dmd_owners_view_t;

/* Prints a paragraph for each unreported record, the largest first. */
void dmd_owners_print(dmd_out_t *out, const dmd_owners_view_t *view);

/* Prints the part of such a paragraph after the stack: `  Owner: ...`, and the proposal. */
void dmd_owners_print_advice(dmd_out_t *out, const dmd_owners_view_t *view,
                             const dmd_record_t *record);

/* {"unreported": {"blocks", "bytes"}, "rows": [{"record", "type", "evidence", "blocks", "bytes",
 *  "allocatedAt", "owner": {"owned", "blocks", "bytes", "reporter", "reportedAt", "type", "member",
 *  "through", "root"}, "proposal": {"line", "function", "file", "at"}}]} */
void dmd_owners_json(dmd_out_t *out, const dmd_owners_view_t *view);

/* Parts of it, as members of the open object: the sum, and rows [first, end). */
void dmd_owners_write_sum(dmd_jsonout_t *j, const dmd_owners_view_t *view);
void dmd_owners_write_rows(dmd_jsonout_t *j, const dmd_owners_view_t *view, uint32_t first,
                           uint32_t end);

/* Looks up owners for the records of another profile of the same moment, by stack. */
typedef struct dmd_owner_hint {
  const dmd_owners_view_t *view;
  dmd_intern_t stacks; /* of the graph's unreported records, one frame per line */
  dmd_pool_t records;  /* by stack: uint32_t, a record of the graph */
} dmd_owner_hint_t;

/* Must not be moved in memory. The view's records must be cut like the records to look up. */
void dmd_owner_hint_init(dmd_owner_hint_t *advice, const dmd_owners_view_t *view);
void dmd_owner_hint_destroy(dmd_owner_hint_t *advice);

/* Like dmd_owners_print_advice, for a record of the other profile. False if nothing is known. */
bool dmd_owner_hint_print(dmd_out_t *out, const dmd_owner_hint_t *advice,
                          const dmd_records_t *records, const dmd_record_t *record);

#endif
