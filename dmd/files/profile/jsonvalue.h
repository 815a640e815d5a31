/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jsonvalue.h: parses a JSON value into a tree, for values without the common shape (jsonscan.h).
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
#include "files/profile/source.h"

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
