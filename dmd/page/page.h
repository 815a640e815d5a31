/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * page.h: a session of people with profiles and heap graphs: files that are there, what was
 * computed of them, and the answers to what is asked.
 *
 * A page in a browser draws, and computes nothing: every figure and every text that it shows is an
 * answer to a question (query.h), one JSON document, which is made by what dmdv uses too. The room
 * wasm puts it into a browser; unit tests ask natively.
 *
 * In order: dmd_page_init; files, in any order with questions; dmd_page_destroy. What was computed
 * for one answer may be kept for the next.
 *
 * An answer to a question that cannot be answered is {"error": {"message", "hint"}}: what is wrong,
 * and what can be done, or "".
 *
 * asks.h has the questions that there are.
 */
#ifndef DMD_PAGE_PAGE_H
#define DMD_PAGE_PAGE_H

#include "analysis/amounts.h"
#include "analysis/filter.h"
#include "base/out.h"
#include "image/image.h"
#include "page/query.h"
#include "profile/profile.h"

/* A file that was given to the page. */
typedef struct dmd_page_file {
  dmd_strbuf_t name;
  dmd_profile_t profile;       /* filled in by whoever adds the file */
  dmd_amounts_t *reports;      /* of a file of memory reports, whose profile is empty, these, not
                                  completed; NULL: it is none. Goes with the file */
  dmd_image_reduced_t reduced; /* what it does not hold of the file */
  const dmd_image_t *image;    /* that it came in, which may have source lines; NULL: in none */
  uint32_t kept;               /* of a history's build: the records it is made of (pagehistory.h) */
  bool is_made;                /* of these */
} dmd_page_file_t;

/* What a host knows of regular expressions. */
typedef struct dmd_page_patterns {
  bool (*is_good)(void *ctx, const char *pattern); /* whether it is one */
  dmd_match_fn match;                              /* of one that is */
  void *ctx;
} dmd_page_patterns_t;

enum { DMD_PAGE_VIEWS = 4 }; /* that are kept */

typedef struct dmd_page {
  const dmd_env_t *env;
  dmd_pool_t files;                       /* dmd_page_file_t *, in the order in which they came */
  const dmd_page_patterns_t *patterns;    /* NULL: queries cannot have them */
  dmd_pool_t graphs;                      /* dmd_page_graph_t *, see pagegraph.h */
  const struct dmd_history *history;      /* NULL: there is none */
  uint32_t first_build;                   /* its first file */
  struct dmd_view *views[DMD_PAGE_VIEWS]; /* see view.h */
  uint64_t n_asked;
} dmd_page_t;

void dmd_page_init(dmd_page_t *page, const dmd_env_t *env);
void dmd_page_destroy(dmd_page_t *page);

/* After init: regular expressions are understood from now on. They outlive the page. */
static inline void dmd_page_set_patterns(dmd_page_t *page, const dmd_page_patterns_t *patterns) {
  page->patterns = patterns;
}

/* A new file, whose profile is initialised and empty. The page has it once it is complete:
 * dmd_page_end_file, which must follow, adds it, or without keep destroys it. */
dmd_page_file_t *dmd_page_begin_file(const dmd_page_t *page, const char *name);
void dmd_page_end_file(dmd_page_t *page, dmd_page_file_t *file, bool keep);

/* How many files there are, and the i-th, from 0: the number that queries name it by. */
static inline uint32_t dmd_page_n_files(const dmd_page_t *page) {
  return page->files.last;
}

static inline dmd_page_file_t *dmd_page_file(const dmd_page_t *page, uint32_t i) {
  return *DMD_POOL_AT(&page->files, dmd_page_file_t *, i + 1);
}

/* Writes the answer to a query. */
void dmd_page_ask(dmd_page_t *page, const char *query, dmd_out_t *out);

/* For answers: the file that the value of "of", or of another key, numbers; the first one where the
 * query does not have the key. NULL, with the reason noted in the query, where there is none. */
dmd_page_file_t *dmd_page_file_of(const dmd_page_t *page, dmd_query_t *query, const char *key);

#endif
