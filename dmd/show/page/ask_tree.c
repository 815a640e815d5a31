/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=tree: the output of dmdv tree --json for a file or, with old, for the difference to another
 * file; verbose=1 acts like --verbose. A file of memory reports has a tree, too.
 */
#include "analyse/tree/profile_amounts.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/text/text_tree.h"
#include "show/text/tree_json.h"

/* Adds a profile of one process, with its notes unless it is compared. Returns NULL, or why it
 * cannot be added. */
static const char *add_one(dmd_amounts_t *m, const dmd_profile_t *profile, const char *process,
                           bool verbose) {
  dmd_coverage_t coverage;
  char *own = dmd_process_name(profile);
  const char *name = process != NULL ? process : own;
  const char *why = dmd_amounts_of_profile(m, profile, name, &coverage);
  if (!m->is_diff) {
    dmd_strbuf_t notes;
    dmd_out_t out;
    dmd_strbuf_init(&notes, m->env);
    dmd_out_init(&out, dmd_strbuf_write, &notes);
    dmd_tree_print_notes(&out, profile, &coverage, verbose);
    dmd_out_flush(&out);
    dmd_amounts_add_note(m, name, notes.text);
    dmd_strbuf_destroy(&notes);
  }
  dmd_env_free(m->env, own);
  return why;
}

/* A profile that keeps processes separate is added process by process, unless it is compared. */
static const char *add_profile(dmd_amounts_t *m, const dmd_profile_t *profile, const char *process,
                               bool verbose) {
  const char *why = NULL;
  size_t n = 0;
  dmd_profile_t *parts = m->is_diff ? NULL : dmd_processes_split(profile, &n);
  for (size_t i = 0; i < n && why == NULL; i++)
    why = add_one(m, &parts[i], NULL, verbose);
  if (n == 0)
    why = add_one(m, profile, process, verbose);
  dmd_processes_free(parts, n);
  dmd_amounts_complete(m);
  return why;
}

static const char *add_file(dmd_amounts_t *m, const dmd_session_file_t *file, const char *process,
                            bool verbose, const char **path) {
  if (file->reports == NULL)
    return add_profile(m, &file->profile, process, verbose);
  const char *why = dmd_amounts_join(m, file->reports, file->name.text, path);
  dmd_amounts_complete(m);
  return why;
}

static const char *subtract(dmd_amounts_t *m, const dmd_session_file_t *old, const char *process,
                            const char **path) {
  dmd_amounts_t before;
  dmd_amounts_init(&before, m->env, true);
  const char *why = add_file(&before, old, process, false, path);
  if (why == NULL)
    why = dmd_amounts_subtract(m, &before, path);
  dmd_amounts_destroy(&before);
  return why;
}

const char *dmd_answer_amounts(dmd_amounts_t *m, const dmd_session_file_t *of,
                               const dmd_session_file_t *old, bool verbose) {
  const char *path;
  char *process = of->reports == NULL ? dmd_process_name(&of->profile) : NULL;
  dmd_amounts_init(m, of->profile.env, old != NULL);
  const char *why = add_file(m, of, process, verbose, &path);
  if (why == NULL && old != NULL)
    why = subtract(m, old, process, &path);
  if (why == NULL)
    why = dmd_amounts_settle(m, &path);
  dmd_env_free(of->profile.env, process);
  return why;
}

bool dmd_ask_tree(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  const dmd_session_file_t *of, *old;
  bool verbose = dmd_query_flag(query, "verbose");
  if (!dmd_session_files_of(page, query, &of, &old))
    return false;
  dmd_amounts_t amounts;
  const char *why = dmd_answer_amounts(&amounts, of, old, verbose);
  if (why != NULL) {
    dmd_query_reject(query, "these memory reports cannot be shown as a tree", why);
  } else {
    dmd_jsonout_t j;
    dmd_jsonout_init(&j, out);
    dmd_tree_json(&j, &amounts, verbose);
  }
  dmd_amounts_destroy(&amounts);
  return why == NULL;
}
