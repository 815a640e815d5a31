/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session.h: a viewer session: profiles and heap graphs that were opened, data computed from them,
 * and the answers to queries about them.
 *
 * The page in a browser draws but computes nothing: every number and text that it shows comes from
 * the answer to a query (query.h). An answer is one JSON document, made by the same code as in
 * dmdv. The module wasm runs this in a browser; unit tests run it natively.
 *
 * asks.h creates a session and answers queries.
 */
#ifndef DMD_SHOW_PAGE_SESSION_H
#define DMD_SHOW_PAGE_SESSION_H

#include "analyse/records/filter.h"
#include "analyse/tree/amounts.h"
#include "base/out.h"
#include "files/bundle/bundle.h"
#include "model/profile/profile.h"
#include "show/page/query.h"

/* A document in a bundle; bytes: NULL without one. */
typedef struct dmd_session_document {
  const char *bytes;
  size_t n;
} dmd_session_document_t;

/* A file that was given to the page. */
typedef struct dmd_session_file {
  dmd_strbuf_t name;
  dmd_profile_t profile;  /* filled in by the caller that adds the file */
  dmd_amounts_t *reports; /* for a file of memory reports, whose profile is empty: the reports, not
                             completed; else NULL. Freed with the file */
  dmd_bundle_reduced_t reduced;  /* parts of the file that were left out */
  const dmd_bundle_t *image;     /* the bundle it came in, which may have source lines; or NULL */
  dmd_session_document_t claims; /* what dmdv claims says of its run; not checked */
  uint32_t kept; /* for a build of a history: the records it is made of (pagehistory.h) */
  bool is_made;  /* whether it was made of these */
  dmd_moment_side_t others[2]; /* the moments that `profile` does not show */
  uint32_t n_others;
  bool opens_peak; /* whether queries that do not say are about the peak */
} dmd_session_file_t;

/* Regular expressions, provided by the host. */
typedef struct dmd_session_patterns {
  bool (*is_good)(void *ctx, const char *pattern); /* whether it is valid */
  dmd_match_fn match;                              /* matches a valid one */
  void *ctx;
} dmd_session_patterns_t;

enum { DMD_SESSION_VIEWS = 4 }; /* number of views kept */

typedef struct dmd_session {
  const dmd_env_t *env;
  dmd_pool_t files; /* dmd_session_file_t *, in the order in which they were added */
  const dmd_session_patterns_t *patterns;    /* NULL: not supported in queries */
  dmd_pool_t graphs;                         /* dmd_session_graph_t *, see pagegraph.h */
  const struct dmd_history *history;         /* or NULL */
  uint32_t first_build;                      /* number of the history's first file */
  struct dmd_view *views[DMD_SESSION_VIEWS]; /* see view.h */
  uint64_t n_asked;
} dmd_session_t;

/* After init: enables regular expressions. `patterns` must outlive the page. */
static inline void dmd_session_set_patterns(dmd_session_t *page,
                                            const dmd_session_patterns_t *patterns) {
  page->patterns = patterns;
}

/* Starts a new file, with an initialised, empty profile. Must be followed by dmd_session_end_file,
 * which adds the complete file to the page or, without keep, destroys it. */
dmd_session_file_t *dmd_session_begin_file(const dmd_session_t *page, const char *name);
void dmd_session_end_file(dmd_session_t *page, dmd_session_file_t *file, bool keep);

/* Makes a file show its dump, its peak or its recent peak. Without a recent peak that is the peak,
 * and files with one moment stay as they are. */
void dmd_session_show(dmd_session_file_t *file, dmd_moment_choice_t moment);

/* The number of files, and the i-th file, from 0; queries name it by that number. */
static inline uint32_t dmd_session_n_files(const dmd_session_t *page) {
  return page->files.last;
}

static inline dmd_session_file_t *dmd_session_file(const dmd_session_t *page, uint32_t i) {
  return *DMD_POOL_AT(&page->files, dmd_session_file_t *, i + 1);
}

/* Destroys all files; only for destroying the session. */
void dmd_session_forget_files(dmd_session_t *page);

#endif
