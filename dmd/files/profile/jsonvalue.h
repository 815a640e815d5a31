/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jsonvalue.h: parses a JSON value into a tree, for values without the common shape.
 *
 * A duplicate key gives two members. Strings are decoded to UTF-8 and end at their first NUL.
 * Numbers are doubles; a number written with digits alone, perhaps after a minus, that fits into 64
 * bits is also available exactly.
 *
 * The parser accepts what cJSON accepts, so that tests can compare them: besides JSON, numbers with
 * leading zeros or without digits on one side of the point. It does not check strings for control
 * characters and UTF-8, and does not limit nesting: the cutter has done both.
 *
 * A tree lives in an arena until the next tree is parsed; the caller frees nothing. Memory: up to
 * 24 times the text, and twice that while the arena grows.
 */
#ifndef DMD_FILES_PROFILE_JSONVALUE_H
#define DMD_FILES_PROFILE_JSONVALUE_H

#include "base/env.h"
#include "base/mem.h"
#include "files/profile/source.h"

/* ---- Scanning. ----
 *
 * Reads JSON values of the shapes common in profiles directly from the text.
 *
 * A profile is a million small objects with the same few keys. Building a tree for each would take
 * longer than everything else. So the reader first checks whether the text has the common shape:
 * strings without escapes, and whole numbers without sign, fraction or exponent.
 *
 * Each function reads the text from p on, skips white space, and returns where the value ends. It
 * returns NULL if the text before `end` has another shape, is invalid, or is incomplete. That is
 * not an error: the cutter then reads the same text in the general way. So any text accepted here
 * must also be accepted there, with the same meaning. NULL for p gives NULL, so that callers can
 * chain calls and check the result once. */

/* A string that is not NUL-terminated, such as a part of the text. */
typedef struct dmd_span {
  const char *at; /* NULL: none */
  size_t n;
} dmd_span_t;

static inline dmd_span_t dmd_span_of(const char *s) {
  return s == NULL ? (dmd_span_t){NULL, 0} : (dmd_span_t){s, dmd_str_length(s)};
}

static inline bool dmd_jsonscan_is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Where white space ends. NULL only if p is. */
static inline const char *dmd_jsonscan_space(const char *p, const char *end) {
  if (p != NULL)
    while (p < end && dmd_jsonscan_is_space(*p))
      p++;
  return p;
}

/* One of JSON's structural characters. */
static inline const char *dmd_jsonscan_char(const char *p, const char *end, char c) {
  p = dmd_jsonscan_space(p, end);
  return p != NULL && p < end && *p == c ? p + 1 : NULL;
}

/* What follows an element or a member: a comma, which sets *more, or `close`. */
static inline const char *dmd_jsonscan_more(const char *p, const char *end, char close,
                                            bool *more) {
  p = dmd_jsonscan_space(p, end);
  bool is_there = p != NULL && p < end;
  *more = is_there && *p == ',';
  return *more || (is_there && *p == close) ? p + 1 : NULL;
}

/* A string of valid UTF-8 without escapes; *string is the text between its quotes. */
const char *dmd_jsonscan_string(const char *p, const char *end, dmd_span_t *string);

/* Reads a string that consists of 1 to 16 hexadecimal digits of either case. */
bool dmd_span_hex(dmd_span_t string, uint64_t *number);

/* A member's key and its colon. */
static inline const char *dmd_jsonscan_key(const char *p, const char *end, dmd_span_t *key) {
  return dmd_jsonscan_char(dmd_jsonscan_string(p, end, key), end, ':');
}

/* A whole number of up to 15 digits. For a longer one, the caller's next call fails on the rest of
 * the digits. */
const char *dmd_jsonscan_number(const char *p, const char *end, uint64_t *number);

/* A word such as true; word is NUL-terminated. */
const char *dmd_jsonscan_word(const char *p, const char *end, const char *word);

/* Any value whose strings have no escapes, with at most `depth` levels of arrays and objects. */
const char *dmd_jsonscan_any(const char *p, const char *end, int depth);

/* ---- Values. ---- */

typedef enum {
  DMD_JSONVALUE_NULL,
  DMD_JSONVALUE_FALSE,
  DMD_JSONVALUE_TRUE,
  DMD_JSONVALUE_NUMBER,
  DMD_JSONVALUE_STRING,
  DMD_JSONVALUE_ARRAY,
  DMD_JSONVALUE_OBJECT
} dmd_jsonvalue_kind_t;

typedef struct dmd_jsonvalue {
  struct dmd_jsonvalue *next;  /* sibling, in the order of the text */
  struct dmd_jsonvalue *child; /* first element or member; NULL: empty */
  const char *key;             /* of a member */
  union {
    const char *string;
    uint64_t whole; /* if has_whole or has_negative */
  };
  double number;
  dmd_jsonvalue_kind_t kind;
  bool has_whole;
  bool has_negative; /* a minus and digits alone: `whole` is the absolute value */
} dmd_jsonvalue_t;

typedef struct dmd_jsonvalues {
  const dmd_env_t *env;
  dmd_number_fn number;
  struct dmd_jsonvalues_piece *pieces; /* the newest first */
  size_t used;                         /* bytes used in that */
} dmd_jsonvalues_t;

void dmd_jsonvalues_init(dmd_jsonvalues_t *values, const dmd_env_t *env, dmd_number_fn number);
void dmd_jsonvalues_destroy(dmd_jsonvalues_t *values);

/* Parses the value at the start of n bytes; *stop is where it ends. Valid until the next call. NULL
 * if there is no value. */
const dmd_jsonvalue_t *dmd_jsonvalues_parse(dmd_jsonvalues_t *values, const char *text, size_t n,
                                            const char **stop);

/* The first member with this key; NULL if `object` lacks it or is not an object. */
const dmd_jsonvalue_t *dmd_jsonvalue_get(const dmd_jsonvalue_t *object, const char *key);

/* The i-th element, from 0; NULL if there are fewer. */
const dmd_jsonvalue_t *dmd_jsonvalue_at(const dmd_jsonvalue_t *array, int i);

/* The number of elements or members; 0 for NULL. */
int dmd_jsonvalue_count(const dmd_jsonvalue_t *array);

static inline bool dmd_jsonvalue_is(const dmd_jsonvalue_t *value, dmd_jsonvalue_kind_t kind) {
  return value != NULL && value->kind == kind;
}

/* Loops over its elements or members. */
#define DMD_JSONVALUE_EACH(element, array)                                                         \
  for (const dmd_jsonvalue_t *element = (array) != NULL ? (array)->child : NULL; element != NULL;  \
       element = element->next)

#endif
