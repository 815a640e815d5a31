/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * answer.h: what the answers of a page have in common.
 *
 * Figures come twice where people read them: as numbers, from which lengths and areas are drawn,
 * and as the text that dmdv prints, since a page computes nothing.
 */
#ifndef DMD_PAGE_ANSWER_H
#define DMD_PAGE_ANSWER_H

#include "analysis/amounts.h"
#include "base/jsonout.h"
#include "page/view.h"

/* A part of a list: its rows [first, end). */
typedef struct dmd_window {
  uint32_t first, end;
} dmd_window_t;

/* Reads first (0 where there is none) and count (so many where there is none). */
dmd_window_t dmd_window_read(dmd_query_t *query, uint32_t count);

/* The part of it that a list of n has. */
dmd_window_t dmd_window_of(dmd_window_t window, uint32_t n);

void dmd_answer_key_i64(dmd_jsonout_t *j, const char *key, int64_t v);

/* {"bytes", "blocks"}, after a key. */
void dmd_answer_key_sum(dmd_jsonout_t *j, const char *key, int64_t bytes, int64_t blocks);

/* `"share": "12.34%"`. */
void dmd_answer_key_share(dmd_jsonout_t *j, const char *key, int64_t part, int64_t whole);

/* What print functions write to `out`, to become a string: without the line ends at its end, or
 * each line as a string of its own, without blanks and a '#' in front of it. Both end it. */
typedef struct dmd_printed {
  dmd_strbuf_t text;
  dmd_out_t out;
} dmd_printed_t;

void dmd_printed_init(dmd_printed_t *printed, const dmd_env_t *env);
void dmd_printed_end(dmd_printed_t *printed, dmd_jsonout_t *j);
void dmd_printed_end_lines(dmd_printed_t *printed, dmd_jsonout_t *j);

/* A frame as text shows it, but for what JSON escapes itself. */
void dmd_answer_frame(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t frame);

/* The name of a record's section, of other modes than dark-matter that of the mode. */
const char *dmd_answer_section(const dmd_view_t *view, const dmd_record_t *r);

/* What people call a record, "name", and the frames further out, "frames". */
void dmd_answer_record_name(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r);

/* A row of a list of records, as an object: "id", its name, its sizes, its share of the heap, its
 * section, reporter and tag. */
void dmd_answer_record(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id);

/* The same with `"whose"`. */
void dmd_answer_record_whose(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id);

/* `"whose": [...]`: who should have reported an unreported record, in sentences. */
void dmd_answer_whose(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r);

/* ask_record.c: where a record stands in its section. */
typedef struct dmd_record_rank {
  uint32_t rank;      /* from 1; 0: it is not there, since nothing changed */
  int64_t cumulative; /* bytes of the section up to and including it */
} dmd_record_rank_t;

dmd_record_rank_t dmd_answer_rank(const dmd_records_t *records, uint32_t id);

/* The answer of ask_faults.c. */
void dmd_answer_faults(dmd_jsonout_t *j, dmd_view_t *view, dmd_window_t window);

/* ask_tree.c: makes the settled amounts of a file, or of what changed since another (NULL: none).
 * NULL, or why that cannot be done; the amounts are to be destroyed either way. */
const char *dmd_answer_amounts(dmd_amounts_t *m, const dmd_page_file_t *of,
                               const dmd_page_file_t *old, bool verbose);

#endif
