/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * answer.h: helpers shared by the answers of a page.
 *
 * A value that people read is written twice: as a number, from which lengths and areas are drawn,
 * and as the text that dmdv prints. A page in a browser formats nothing itself.
 */
#ifndef DMD_SHOW_PAGE_ANSWER_H
#define DMD_SHOW_PAGE_ANSWER_H

#include "analyse/tree/amounts.h"
#include "base/jsonout.h"
#include "show/page/view.h"

/* A range of a list: its rows [first, end). */
typedef struct dmd_window {
  uint32_t first, end;
} dmd_window_t;

/* Reads the keys first (default 0) and count (default `count`). */
dmd_window_t dmd_window_read(dmd_query_t *query, uint32_t count);

/* Limits a window to a list of n rows. */
dmd_window_t dmd_window_of(dmd_window_t window, uint32_t n);

void dmd_answer_key_i64(dmd_jsonout_t *j, const char *key, int64_t v);

/* `"KEY": {"bytes", "blocks"}`. */
void dmd_answer_key_sum(dmd_jsonout_t *j, const char *key, int64_t bytes, int64_t blocks);

/* `"share": "12.34%"`. */
void dmd_answer_key_share(dmd_jsonout_t *j, const char *key, int64_t part, int64_t whole);

/* Collects what print functions write to `out`. Ends as one string without trailing line ends, or
 * with each line as a string without leading blanks and '#'. */
typedef struct dmd_printed {
  dmd_strbuf_t text;
  dmd_out_t out;
} dmd_printed_t;

void dmd_printed_init(dmd_printed_t *printed, const dmd_env_t *env);
void dmd_printed_end(dmd_printed_t *printed, dmd_jsonout_t *j);
void dmd_printed_end_lines(dmd_printed_t *printed, dmd_jsonout_t *j);

/* A frame as in text output, or in brief (analyse/records/plain.h) for cells and boxes; characters
 * are escaped as JSON does it. */
void dmd_answer_frame(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t frame);
void dmd_answer_frame_brief(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t frame);

/* The name of a record's section; in modes other than dark-matter, the name of the mode, or
 * "peak". */
const char *dmd_answer_section(const dmd_view_t *view, const dmd_record_t *r);

/* A record's "name" for people, and the frames that called it, "frames"; all in brief. */
void dmd_answer_record_name(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r);

/* A row of a list of records, as an object: "id", name, sizes, share of the heap, section, reporter
 * and tag. */
void dmd_answer_record(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id);

/* The same row with `"whose"`. */
void dmd_answer_record_whose(dmd_jsonout_t *j, dmd_view_t *view, uint32_t id);

/* `"whose": [...]`: who should have reported an unreported record, in sentences. */
void dmd_answer_whose(dmd_jsonout_t *j, dmd_view_t *view, const dmd_record_t *r);

/* ask_record.c: the rank of a record in its section. */
typedef struct dmd_record_rank {
  uint32_t rank;      /* from 1; 0: not in the section, since nothing changed */
  int64_t cumulative; /* bytes of the section up to and including it */
} dmd_record_rank_t;

dmd_record_rank_t dmd_answer_rank(const dmd_records_t *records, uint32_t id);

/* ask_faults.c: the answer to ask=faults. */
void dmd_answer_faults(dmd_jsonout_t *j, dmd_view_t *view, dmd_window_t window);

/* ask_tree.c: computes the completed amounts of a file, or their difference to another file (may be
 * NULL). Returns NULL, or why it failed. Destroy the amounts either way. */
const char *dmd_answer_amounts(dmd_amounts_t *m, const dmd_session_file_t *of,
                               const dmd_session_file_t *old, bool verbose);

#endif
