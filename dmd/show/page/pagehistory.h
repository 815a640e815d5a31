/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagehistory.h: a history in a page. Each build with records is a file of the page, newest first,
 * so that the ordinary views can show and compare builds. The file's profile is made when a query
 * needs it (analyse/history/history.h), and only a few are kept.
 */
#ifndef DMD_SHOW_PAGE_PAGEHISTORY_H
#define DMD_SHOW_PAGE_PAGEHISTORY_H

#include "analyse/history/history.h"
#include "base/jsonout.h"
#include "show/page/session.h"

/* Adds the files of a history, which must be complete and outlive the page. A page has at most
 * one. */
void dmd_session_add_history(dmd_session_t *page, const dmd_history_t *history);

/* If a file is a build of the history and was not made yet, makes it. False, with the reason
 * recorded in the query, if its records are damaged. */
bool dmd_session_make_build(const dmd_session_t *page, dmd_query_t *query,
                            dmd_session_file_t *file);

/* Whether builds should be forgotten before the next query, and forgetting them. First forget the
 * views, which use them. */
bool dmd_session_has_many_builds(const dmd_session_t *page);
void dmd_session_forget_builds(dmd_session_t *page);

/* The number of the file with these kept records. */
uint32_t dmd_session_file_of_kept(const dmd_session_t *page, uint32_t kept);

/* The history; NULL, with the reason recorded in the query, if the page has no history. */
const dmd_history_t *dmd_session_history(const dmd_session_t *page, dmd_query_t *query);

/* The curves that a query is about: branch and moment by name, environment by its number among
 * `environments`. Defaults come from the heap's curve that leads to the newest build. */
typedef struct dmd_line {
  uint32_t branch, moment, environment; /* in the history's texts; DMD_NONE: nothing fits */
} dmd_line_t;

dmd_line_t dmd_session_line(const dmd_history_t *history, dmd_query_t *query);

static inline bool dmd_line_has(const dmd_line_t *line, const dmd_history_curve_t *curve) {
  return curve->branch == line->branch && curve->moment == line->moment &&
         curve->environment == line->environment;
}

/* All environments as ids of texts, in the order of their curves; *n of them. Free with
 * dmd_env_free. */
uint32_t *dmd_session_environments(const dmd_history_t *history, uint32_t *n);

/* ---- Shared by answers about a history. ---- */

/* "branch", "moment" and "environment", as in a query. */
void dmd_answer_line(dmd_jsonout_t *j, const dmd_history_t *history, const dmd_line_t *line);

/* The members of an alarm as in dmdv history check --json, and "text". */
void dmd_answer_alarm(dmd_jsonout_t *j, const dmd_history_t *history, uint32_t alarm);

/* "headline"; "bracket" if the first build is not certain; and "next", what to try. */
void dmd_answer_headline(dmd_jsonout_t *j, const dmd_history_t *history, uint32_t alarm);

/* "of" and "old": the files of a change point's first build and the build before, if both are
 * there. */
void dmd_answer_step_files(dmd_jsonout_t *j, const dmd_session_t *page, uint32_t alarm);

/* "bytes" or "faults". */
const char *dmd_answer_unit(const dmd_history_curve_t *curve);

#endif
