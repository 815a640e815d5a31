/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * page_fixture.h: a page with profiles, and its answers as cJSON trees.
 *
 *   page_fixture_t f;
 *   page_begin(&f);
 *   page_add_random(&f, &dice);
 *   cJSON *answer = page_ask(&f, "ask=records");
 *   ...
 *   page_end(&f);        frees the answers too, and fails the test when anything is outstanding
 */
#ifndef TESTS_UNIT_PAGE_FIXTURE_H
#define TESTS_UNIT_PAGE_FIXTURE_H

#include "fixture.h"
#include "show/page/asks.h"

#include <cjson/cJSON.h>

enum { PAGE_ANSWERS = 4096 };

typedef struct page_fixture {
  host_t host;
  dmd_session_t page;
  sink_t sink;
  bool has_text;
  cJSON *answers[PAGE_ANSWERS];
  size_t n_answers;
} page_fixture_t;

void page_begin(page_fixture_t *f);
void page_end(page_fixture_t *f);

/* A new file with an empty profile, which the test fills. */
dmd_profile_t *page_add(page_fixture_t *f, dmd_mode_t mode);
dmd_profile_t *page_add_random(page_fixture_t *f, dice_t *dice);

/* The answer, which must be JSON: as text, valid until the next one; and as a tree. */
const char *page_ask_text(page_fixture_t *f, const char *query);
cJSON *page_ask(page_fixture_t *f, const char *query);

/* As above, for a query in printf's format. */
cJSON *page_askf(page_fixture_t *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For tests in which memory runs out: asks on the page's own host, and fails the test if the answer
 * is an error. build_small: some reported blocks and some unreported ones. */
void page_answers(dmd_session_t *page, const char *query);
void build_small(dmd_profile_t *profile);

/* A text as a tree, which lives as long as the fixture. */
cJSON *page_parse(page_fixture_t *f, const char *text);

/* A member, which must exist; by a path of keys such as "shown.total". */
const cJSON *member(const cJSON *object, const char *way);
double number_of(const cJSON *object, const char *way);
const char *string_of(const cJSON *object, const char *way);

/* Fail unless two trees are equal, or the answer to the query is an error with this message. */
void assert_same(const cJSON *a, const cJSON *b);
void assert_rejected(page_fixture_t *f, const char *query, const char *message);

/* The C library's regular expressions, as a host may provide them. */
extern const dmd_session_patterns_t page_patterns;

/* Fails unless random windows of rows equal those parts of the whole list: of the answer to the
 * query, with this member as its list. */
void check_windows(page_fixture_t *f, dice_t *dice, const char *query, const char *list);

#endif
