/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagehistory.h: a history in a page. Each build that it has records of is a file of the page, the
 * newest one first, which is made when somebody asks about it (analysis/historyprofile.h), so that
 * builds are looked at and compared in the views that there are. Of those that were made few stay.
 */
#ifndef DMD_PAGE_PAGEHISTORY_H
#define DMD_PAGE_PAGEHISTORY_H

#include "analysis/history.h"
#include "base/jsonout.h"
#include "page/page.h"

/* Adds the files of a history, which is complete and outlives the page. A page has one at most. */
void dmd_page_add_history(dmd_page_t *page, const dmd_history_t *history);

/* Makes a file that is a build of the history, where it was not made. False, with the reason noted
 * in the query, where its records are damaged. */
bool dmd_page_make_build(const dmd_page_t *page, dmd_query_t *query, dmd_page_file_t *file);

/* Before a question: forgets builds when there are many. */
void dmd_page_forget_builds(dmd_page_t *page);

/* The number of the file that has these kept records. */
uint32_t dmd_page_file_of_kept(const dmd_page_t *page, uint32_t kept);

/* The history; NULL, with the reason noted in the query: there is none. */
const dmd_history_t *dmd_page_history(const dmd_page_t *page, dmd_query_t *query);

/* Which curves a query is about: branch and moment by name, environment by its number among
 * `environments`. What it leaves open is what the heap's curve has that leads to the newest build.
 */
typedef struct dmd_line {
  uint32_t branch, moment, environment; /* of the history's texts; DMD_NONE: nothing fits */
} dmd_line_t;

dmd_line_t dmd_page_line(const dmd_history_t *history, dmd_query_t *query);

static inline bool dmd_line_has(const dmd_line_t *line, const dmd_history_curve_t *curve) {
  return curve->branch == line->branch && curve->moment == line->moment &&
         curve->environment == line->environment;
}

/* The environments that there are, in the order of their curves, as ids of texts; *n of them, to be
 * freed with dmd_env_free. */
uint32_t *dmd_page_environments(const dmd_history_t *history, uint32_t *n);

/* ---- What answers about a history have in common. ---- */

/* "branch", "moment" and "environment", as a query has them. */
void dmd_answer_line(dmd_jsonout_t *j, const dmd_history_t *history, const dmd_line_t *line);

/* The members that dmdv history check --json has of an alarm, and "text". */
void dmd_answer_alarm(dmd_jsonout_t *j, const dmd_history_t *history, uint32_t alarm);

/* "headline"; where the first build is not certain, "bracket"; and what to try "next". */
void dmd_answer_headline(dmd_jsonout_t *j, const dmd_history_t *history, uint32_t alarm);

/* "of" and "old": the files of a step's first build and of the one before, where both are there. */
void dmd_answer_step_files(dmd_jsonout_t *j, const dmd_page_t *page, uint32_t alarm);

/* "bytes" or "faults". */
const char *dmd_answer_unit(const dmd_history_curve_t *curve);

#endif
