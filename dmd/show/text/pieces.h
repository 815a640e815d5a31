/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pieces.h: writes single parts of what text.h and dmd_records_json write: a record, who should
 * have reported it, a fault.
 *
 * For callers that show records one by one, in any order. Text has no colours and is not folded.
 */
#ifndef DMD_SHOW_TEXT_PIECES_H
#define DMD_SHOW_TEXT_PIECES_H

#include "analyse/records/hintsum.h"
#include "base/jsonout.h"

typedef struct dmd_pieces {
  const dmd_records_t *records;
  const struct dmd_owner_hint *owners; /* from the heap graph of the same moment; or NULL */
  dmd_hintsum_t hint;
  dmd_allocfns_t allocfns;
} dmd_pieces_t;

/* Borrows the records and does not reorder them. Must not be moved in memory until it is destroyed.
 * `owners` is NULL at first. */
void dmd_pieces_init(dmd_pieces_t *pieces, const dmd_records_t *records);
void dmd_pieces_destroy(dmd_pieces_t *pieces);

/* ---- As text that ends in a line end. ---- */

/* A record, the i-th of its section, from 1. cumulative: usable size of the section up to and
 * including it. */
void dmd_pieces_print_record(dmd_pieces_t *pieces, dmd_out_t *out, uint32_t i,
                             const dmd_record_t *r, int64_t cumulative);

/* Referrers to an unreported record's blocks, or who reported them before: up to two lines,
 * indented by two blanks; nothing if nothing is known. */
void dmd_pieces_print_hint(dmd_pieces_t *pieces, dmd_out_t *out, const dmd_record_t *r);

/* Remarks on all unreported blocks, in paragraphs that begin with "# ". */
void dmd_pieces_print_hint_on_all(dmd_pieces_t *pieces, dmd_out_t *out);

/* Lines about the peak, and about an attach; nothing if there was none and the peak is unknown. */
void dmd_pieces_print_peak(dmd_pieces_t *pieces, dmd_out_t *out);

/* A fault, with its stacks. */
void dmd_pieces_print_fault(dmd_pieces_t *pieces, dmd_out_t *out, const dmd_fault_t *fault);

/* ---- As members of the open JSON object. ---- */

/* The fields of a record, who allocated it if its stack does not show that, what it is known to be,
 * and its referrers. */
void dmd_pieces_write_record(dmd_pieces_t *pieces, dmd_jsonout_t *j, const dmd_record_t *r);

/* The fields of a fault with cut stacks, and a description in words: "sentence". */
void dmd_pieces_write_fault(dmd_pieces_t *pieces, dmd_jsonout_t *j, const dmd_fault_t *fault);

/* ---- All records. ----
 *
 * The records as JSON, with the contents of the text for people.
 *
 * {"mode", "heap": {"bytes", "blocks"}, "sections": [{"name", "bytes", "blocks", "records": [{
 *   the fields of a record (analyse/records/record.h), "advice"}]}], "faults": [the fields of
 * a fault (model/profile/fault.h), "sentence"]} docs/format.md describes them for users. */

/* runs: the profiles whose runs to describe, up to the first NULL: the records' profile, or the two
 * of a difference. sections: see dmd_text_options_t.only. max_records: of each section, and faults;
 * 0: all. "leftOut" is the number of the others, if there are any. */
void dmd_records_json(dmd_out_t *out, const dmd_records_t *records,
                      const dmd_profile_t *const runs[2], unsigned sections, uint32_t max_records);

#endif
