/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model.h: what dmd-derive knows of a program's structs.
 *
 * A model is what was read of some headers: the structs and unions that are measured, and those
 * that they hold or point to; of each its members, with their types and with the words that the
 * header says about them (DMD_OWNS and so on, see dmd.h). Nothing here knows who read it: the
 * reader (derive/program) makes it with libclang, tests make it by hand.
 *
 *   reader -> model -> check (what is wrong with it) -> write (C text)
 *
 * A record is a struct or a union. A level is a pointer on the way from a member to a value: `char
 * **names` has two. Each level takes one of the member's words about pointers, the outermost the
 * first; arrays in between take none.
 *
 * A member of C's with several DMD_WHEN is several members here, one for each condition, of the
 * same name and place.
 *
 * Everything lives in the model's own memory until it is destroyed; nothing is changed once it is
 * read. Strings that the reader adds are copied.
 */
#ifndef DMD_DERIVE_MODEL_H
#define DMD_DERIVE_MODEL_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_derive_place {
  const char *file;
  uint32_t line, column;
} dmd_derive_place_t;

/* What the header says about a member or a record. */
typedef enum {
  DMD_DERIVE_OWNS,        /* the block that it points to, and what hangs off that */
  DMD_DERIVE_OWNS_ARRAY,  /* the same of as many objects as text says */
  DMD_DERIVE_OWNS_LIST,   /* the same of pointers up to a null one */
  DMD_DERIVE_OWNS_BLOCK,  /* the block alone; text: why */
  DMD_DERIVE_OWNS_AS,     /* as DMD_DERIVE_OWNS, of a struct that text names and nobody has found */
  DMD_DERIVE_SHARES,      /* as DMD_DERIVE_OWNS, together with others */
  DMD_DERIVE_IGNORES,     /* nothing; text: why */
  DMD_DERIVE_MEASURED_BY, /* what the function named in text returns */
  DMD_DERIVE_HOLDS,       /* of an array in the struct so many elements, as text says */
  DMD_DERIVE_WHEN,        /* only if the condition in text is true */
  DMD_DERIVE_MEASURED,    /* of a record: a function is to be written */
  DMD_DERIVE_MEASURED_AS, /* of a record: the same, by the reporter with the path in text */
  DMD_DERIVE_UNKNOWN      /* of a newer dmd.h */
} dmd_derive_word_kind_t;

typedef struct dmd_derive_word {
  dmd_derive_word_kind_t kind;
  const char *text;             /* what stands in its parentheses; "" if nothing */
  struct dmd_derive_word *next; /* in the order of the header */
} dmd_derive_word_t;

typedef enum {
  DMD_DERIVE_INTEGER, /* and enums, bool, characters */
  DMD_DERIVE_PLAIN,   /* anything else that holds no pointer: floating point and the like */
  DMD_DERIVE_VOID,
  DMD_DERIVE_POINTER,
  DMD_DERIVE_FUNCTION,
  DMD_DERIVE_ARRAY,
  DMD_DERIVE_RECORD
} dmd_derive_type_kind_t;

/* A type without its typedefs. */
typedef struct dmd_derive_type {
  dmd_derive_type_kind_t kind;
  const char *spelling;             /* as C and people write it, without a name in it */
  const struct dmd_derive_type *of; /* what a pointer points to, an array's elements; or NULL */
  const struct dmd_derive_record *record;
  uint64_t n; /* an array's elements; 0: a flexible array */
  bool is_const;
  bool is_cast; /* a pointer that a word gave another type than C does */
  uint64_t szB; /* 0: unknown, or none */
} dmd_derive_type_t;

typedef struct dmd_derive_member {
  const char *name; /* "": a struct or union without a name, whose members are seen as this one's */
  const dmd_derive_type_t *type;
  const dmd_derive_word_t *words;
  dmd_derive_place_t place;
  uint64_t offset; /* in bytes; of a bit field that of the byte with its first bit */
  bool is_bit_field;
  struct dmd_derive_member *next; /* in the order of the header */
} dmd_derive_member_t;

typedef struct dmd_derive_record {
  const char *name;     /* "item" of struct item, or the typedef's; "": it has none */
  const char *spelling; /* "struct item" */
  const dmd_derive_word_t *words;
  const dmd_derive_member_t *members;
  const struct dmd_derive_record *outer; /* whose definition holds this one's; NULL: none */
  dmd_derive_place_t place;
  uint64_t szB;
  bool is_union, is_complete;
  bool is_wanted; /* in a header that was named, so that functions are written for it */
  struct dmd_derive_record *next; /* in the order in which the headers define them */
} dmd_derive_record_t;

/* A function that a word names, if the headers declare one. */
typedef struct dmd_derive_function {
  const char *name;
  bool returns_size; /* an unsigned integer of size_t's size, from one argument */
  struct dmd_derive_function *next;
} dmd_derive_function_t;

/* What an expression may name that is no member: a constant of an enum, or a variable. */
typedef struct dmd_derive_global {
  const char *name;
  uint64_t value; /* of a constant */
  bool is_constant;
  bool is_wanted; /* in a header that was named */
  const struct dmd_derive_global *next;
} dmd_derive_global_t;

typedef struct dmd_derive_model {
  const dmd_env_t *env;
  const dmd_derive_record_t *records;
  const dmd_derive_function_t *functions;
  const dmd_derive_global_t *globals; /* the last first */
  struct dmd_derive_chunk *chunks;
} dmd_derive_model_t;

void dmd_derive_model_init(dmd_derive_model_t *model, const dmd_env_t *env);
void dmd_derive_model_destroy(dmd_derive_model_t *model);

/* Memory of the model's, zeroed; a copy of n bytes of text in it. */
void *dmd_derive_new(dmd_derive_model_t *model, size_t szB);
const char *dmd_derive_copy(dmd_derive_model_t *model, const char *text, size_t n);

/* A word from an annotation's text, "dmd:owns_array:count" (dmd-annotations.h makes it); NULL
 * where it is not one of dmd's. */
dmd_derive_word_t *dmd_derive_word_of(dmd_derive_model_t *model, const char *annotation);

/* How dmd.h calls a word: "DMD_OWNS". */
const char *dmd_derive_word_name(dmd_derive_word_kind_t kind);

/* The first word of this kind; NULL if there is none. */
const dmd_derive_word_t *dmd_derive_find(const dmd_derive_word_t *words,
                                         dmd_derive_word_kind_t kind);

/* The word about a level, the outermost is 0; NULL if there is none. */
const dmd_derive_word_t *dmd_derive_level(const dmd_derive_member_t *member, unsigned level);

/* Whether functions measure this record: here, or elsewhere. */
bool dmd_derive_is_measured(const dmd_derive_record_t *record);

/* Whether a value of this type holds a pointer, be it in a struct within it. */
bool dmd_derive_has_pointer(const dmd_derive_type_t *type);

/* Whether the members of this record, a type of a member, are taken for those of the one around it:
 * it is defined there, and not measured by itself. */
bool dmd_derive_is_inside(const dmd_derive_record_t *record);

/* The function, and the constant or variable, of this name that the headers declare, or NULL. */
const dmd_derive_function_t *dmd_derive_function(const dmd_derive_model_t *model, const char *name);
const dmd_derive_global_t *dmd_derive_global(const dmd_derive_model_t *model, const char *name);

#endif
