/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * query.h: parses queries such as "ask=records&section=unreported&first=0&count=100".
 *
 * A query consists of pairs of key and value, as after '?' or '#' in a link, encoded as browsers do
 * it (URLSearchParams): %XX is a byte, '+' a blank. If a key comes twice, the first counts; unknown
 * keys are ignored.
 *
 * Links come from untrusted sources. The query records the first thing that is wrong with it or a
 * value. So an answer reads all values that it needs, then checks once whether the query failed,
 * before it writes anything.
 */
#ifndef DMD_SHOW_PAGE_QUERY_H
#define DMD_SHOW_PAGE_QUERY_H

#include "base/pool.h"
#include "base/strbuf.h"

#include <stdbool.h>

typedef struct dmd_query {
  const dmd_env_t *env;
  char *text; /* decoded keys and values, each followed by a NUL */
  dmd_pool_t pairs;
  bool failed;
  dmd_strbuf_t message, hint; /* the error and its remedy; neither is a full sentence */
} dmd_query_t;

/* Parses a query. The text is copied. */
void dmd_query_init(dmd_query_t *query, const dmd_env_t *env, const char *text);
void dmd_query_destroy(dmd_query_t *query);

/* Records what is wrong, unless an earlier error is recorded. Returns false. The strings are
 * copied; hint may be NULL. */
bool dmd_query_reject(dmd_query_t *query, const char *message, const char *hint);

/* The value of a key (UTF-8), or fallback if it is missing. Valid until the query is destroyed. */
const char *dmd_query_str(const dmd_query_t *query, const char *key, const char *fallback);

/* The value as a whole number from least to most. */
uint64_t dmd_query_number(dmd_query_t *query, const char *key, uint64_t least, uint64_t most,
                          uint64_t fallback);

/* True if the value is "1"; false if it is "0" or missing. Other values are errors. */
bool dmd_query_flag(dmd_query_t *query, const char *key);

/* The value, which must be one of n words, as the index of that word. */
unsigned dmd_query_word(dmd_query_t *query, const char *key, const char *const *words, unsigned n,
                        unsigned fallback);

#endif
