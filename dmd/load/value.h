/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * value.h: a JSON value of a document as a tree, for what has not the common shape (scan.h).
 *
 * Of a key that comes twice there are two members. A string is decoded, as UTF-8; a NUL that it has
 * ends it. Numbers are doubles; those that are written with digits alone, or a minus before them,
 * and fit into 64 bits, are there exactly as well.
 *
 * The parser reads what cJSON reads, so that it may be compared with that: beside JSON these are
 * numbers with zeros in front, or without digits on one side of the point. Strings are not checked
 * for control characters and UTF-8, and nesting is not limited: the cutter has done that.
 *
 * A tree lies in an arena, in one piece of memory after another, and is gone when the next one is
 * made: there is nothing to be freed. Memory: up to 24 times the text, once more while it grows.
 */
#ifndef DMD_LOAD_VALUE_H
#define DMD_LOAD_VALUE_H

#include "base/env.h"
#include "load/source.h"

typedef enum {
  DMD_VALUE_NULL,
  DMD_VALUE_FALSE,
  DMD_VALUE_TRUE,
  DMD_VALUE_NUMBER,
  DMD_VALUE_STRING,
  DMD_VALUE_ARRAY,
  DMD_VALUE_OBJECT
} dmd_value_kind_t;

typedef struct dmd_value {
  struct dmd_value *next;  /* in an array or object, in the order of the text */
  struct dmd_value *child; /* the first of an array or object; NULL: it is empty */
  const char *key;         /* of a member */
  union {
    const char *string;
    uint64_t whole; /* of a number that has it */
  };
  double number;
  dmd_value_kind_t kind;
  bool has_whole;
  bool has_negative; /* a minus, and digits alone: `whole` is what they say */
} dmd_value_t;

typedef struct dmd_values {
  const dmd_env_t *env;
  dmd_number_fn number;
  struct dmd_values_piece *pieces; /* the newest first */
  size_t used;                     /* bytes of that */
} dmd_values_t;

void dmd_values_init(dmd_values_t *values, const dmd_env_t *env, dmd_number_fn number);
void dmd_values_destroy(dmd_values_t *values);

/* The value that n bytes begin with; *stop is where it ends. Good until the next call. NULL where
 * there is none. */
const dmd_value_t *dmd_values_parse(dmd_values_t *values, const char *text, size_t n,
                                    const char **stop);

/* The first member with this key; NULL: it has none, or is no object. */
const dmd_value_t *dmd_value_get(const dmd_value_t *object, const char *key);

/* The i-th element, from 0; NULL: it has not so many. */
const dmd_value_t *dmd_value_at(const dmd_value_t *array, int i);

/* How many elements or members it has; NULL has none. */
int dmd_value_count(const dmd_value_t *array);

static inline bool dmd_value_is(const dmd_value_t *value, dmd_value_kind_t kind) {
  return value != NULL && value->kind == kind;
}

/* Each of its elements or members. */
#define DMD_VALUE_EACH(element, array)                                                             \
  for (const dmd_value_t *element = (array) != NULL ? (array)->child : NULL; element != NULL;      \
       element = element->next)

#endif
