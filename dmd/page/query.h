/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * query.h: what a page asks for: "ask=records&section=unreported&first=0&count=100".
 *
 * Pairs of a key and a value, as in the part of a link behind '?' or '#', encoded as browsers do it
 * (URLSearchParams): %XX is a byte, '+' a blank. Of a key that comes twice the first counts; keys
 * that nobody asks for are passed over.
 *
 * A link comes from anywhere. What is wrong with a query, or a value of it, is noted, and the first
 * such note stays: whoever answers takes all values that it wants, and looks once whether the query
 * failed, before it writes anything.
 */
#ifndef DMD_PAGE_QUERY_H
#define DMD_PAGE_QUERY_H

#include "base/pool.h"
#include "base/strbuf.h"

#include <stdbool.h>

typedef struct dmd_query {
  const dmd_env_t *env;
  char *text; /* decoded: keys and values with a NUL behind each */
  dmd_pool_t pairs;
  bool failed;
  dmd_strbuf_t message, hint; /* what is wrong, and what to do; both are sentences' parts */
} dmd_query_t;

/* Takes the query apart. The text need not stay. */
void dmd_query_init(dmd_query_t *query, const dmd_env_t *env, const char *text);
void dmd_query_destroy(dmd_query_t *query);

/* Notes what is wrong, unless something is noted already. Returns false. The strings need not stay;
 * a hint of NULL is none. */
bool dmd_query_reject(dmd_query_t *query, const char *message, const char *hint);

/* The value of a key, UTF-8; fallback where the query does not have it. Good until the query is
 * destroyed. */
const char *dmd_query_str(const dmd_query_t *query, const char *key, const char *fallback);

/* The value as a whole number from least to most. */
uint64_t dmd_query_number(dmd_query_t *query, const char *key, uint64_t least, uint64_t most,
                          uint64_t fallback);

/* Whether the value is "1". It may be "0" too, which is as if the key were not there. */
bool dmd_query_flag(dmd_query_t *query, const char *key);

/* The value as the number of the one of n words that it is. */
unsigned dmd_query_word(dmd_query_t *query, const char *key, const char *const *words, unsigned n,
                        unsigned fallback);

#endif
