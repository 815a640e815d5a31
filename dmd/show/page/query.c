/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/query.h"

#include "base/str.h"
#include "base/utf8.h"

typedef struct {
  const char *key, *value;
} pair_t;

bool dmd_query_reject(dmd_query_t *query, const char *message, const char *hint) {
  if (query->failed)
    return false;
  query->failed = true;
  dmd_strbuf_str(&query->message, message);
  dmd_strbuf_str(&query->hint, hint != NULL ? hint : "");
  return false;
}

/* ---- Decoding. ---- */

static int digit_of(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* Decodes the byte at *from and moves *from behind it; -1 if it is invalid or NUL. */
static int decode(const char **from) {
  const char *p = *from;
  if (*p != '%') {
    *from = p + 1;
    return *p == '+' ? ' ' : (unsigned char)*p;
  }
  int high = digit_of(p[1]);
  int low = high < 0 ? -1 : digit_of(p[2]);
  if (low < 0 || (high == 0 && low == 0))
    return -1;
  *from = p + 3;
  return high * 16 + low;
}

/* Decodes up to one of two characters and moves *to behind the NUL at the end. NULL if the result
 * is not valid text. */
static const char *take(const char *from, char stop, char **to) {
  char *start = *to;
  while (*from != '\0' && *from != '&' && *from != stop) {
    int byte = decode(&from);
    if (byte < 0)
      return NULL;
    *(*to)++ = (char)byte;
  }
  *(*to)++ = '\0';
  return dmd_utf8_is_valid(start) ? from : NULL;
}

/* The result fits: decoding never makes text longer, and each pair but the first is preceded by a
 * '&', which makes room for its second NUL. */
static bool take_apart(dmd_query_t *query, const char *from) {
  char *to = query->text;
  while (*from != '\0') {
    pair_t pair = {.key = to};
    from = take(from, '=', &to);
    if (from == NULL)
      return false;
    from += *from == '=';
    pair.value = to;
    from = take(from, '&', &to);
    if (from == NULL)
      return false;
    from += *from == '&';
    uint32_t id = dmd_pool_add(&query->pairs);
    *DMD_POOL_AT(&query->pairs, pair_t, id) = pair;
  }
  return true;
}

void dmd_query_init(dmd_query_t *query, const dmd_env_t *env, const char *text) {
  query->env = env;
  query->failed = false;
  dmd_strbuf_init(&query->message, env);
  dmd_strbuf_init(&query->hint, env);
  dmd_pool_init(&query->pairs, env, "dmd.query", sizeof(pair_t));
  /* A pair without '=' ("a&b") needs one byte more. */
  query->text = dmd_env_alloc(env, "dmd.query", 2 * dmd_str_length(text) + 2);
  if (!take_apart(query, text))
    dmd_query_reject(query, "the query is not text encoded as in a link",
                     "%XX stands for a byte of UTF-8 other than 0");
}

void dmd_query_destroy(dmd_query_t *query) {
  dmd_env_free(query->env, query->text);
  dmd_pool_destroy(&query->pairs);
  dmd_strbuf_destroy(&query->hint);
  dmd_strbuf_destroy(&query->message);
}

/* ---- Values. ---- */

const char *dmd_query_str(const dmd_query_t *query, const char *key, const char *fallback) {
  for (uint32_t i = 1; i <= query->pairs.last; i++) {
    const pair_t *pair = DMD_POOL_AT(&query->pairs, const pair_t, i);
    if (dmd_str_equal(pair->key, key))
      return pair->value;
  }
  return fallback;
}

/* Records that a value is invalid; the hint lists the valid ones. */
static void reject_value(dmd_query_t *query, const char *key, const char *value,
                         const dmd_strbuf_t *hint) {
  dmd_strbuf_t message;
  dmd_strbuf_init(&message, query->env);
  dmd_strbuf_str(&message, key);
  dmd_strbuf_str(&message, " cannot be \"");
  dmd_strbuf_str(&message, value);
  dmd_strbuf_str(&message, "\"");
  dmd_query_reject(query, message.text, hint->text);
  dmd_strbuf_destroy(&message);
}

uint64_t dmd_query_number(dmd_query_t *query, const char *key, uint64_t least, uint64_t most,
                          uint64_t fallback) {
  const char *value = dmd_query_str(query, key, NULL);
  uint64_t number = fallback;
  if (value == NULL || (dmd_str_to_u64(value, 10, &number) && number >= least && number <= most))
    return number;
  dmd_strbuf_t hint;
  dmd_strbuf_init(&hint, query->env);
  dmd_strbuf_str(&hint, "a whole number from ");
  dmd_strbuf_u64(&hint, least);
  dmd_strbuf_str(&hint, " to ");
  dmd_strbuf_u64(&hint, most);
  reject_value(query, key, value, &hint);
  dmd_strbuf_destroy(&hint);
  return fallback;
}

unsigned dmd_query_word(dmd_query_t *query, const char *key, const char *const *words, unsigned n,
                        unsigned fallback) {
  const char *value = dmd_query_str(query, key, NULL);
  if (value == NULL)
    return fallback;
  for (unsigned i = 0; i < n; i++)
    if (dmd_str_equal(value, words[i]))
      return i;
  dmd_strbuf_t hint;
  dmd_strbuf_init(&hint, query->env);
  dmd_strbuf_str(&hint, "one of ");
  for (unsigned i = 0; i < n; i++) {
    dmd_strbuf_str(&hint, i > 0 ? ", " : "");
    dmd_strbuf_str(&hint, words[i]);
  }
  reject_value(query, key, value, &hint);
  dmd_strbuf_destroy(&hint);
  return fallback;
}

bool dmd_query_flag(dmd_query_t *query, const char *key) {
  static const char *const words[] = {"0", "1"};
  return dmd_query_word(query, key, words, 2, 0) == 1;
}
