/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model.h: dmd-derive's data about a program's structs.
 *
 * A model has the measured structs and unions of some headers, those that they hold or point to,
 * and all their members with their types and words (annotations such as DMD_OWNS, see dmd.h). The
 * model is independent of the reader: derive/program builds it with libclang, tests build it by
 * hand.
 *
 *   reader -> model -> check (finds faults) -> write (C text)
 *
 * A record is a struct or a union. A level is a pointer on the path from a member to a value: `char
 * **names` has two. Each level takes one of the member's words about pointers, starting with the
 * outermost level; arrays in between take none.
 *
 * A C member with several DMD_WHEN becomes several members here, one per condition, with the same
 * name and place.
 *
 * Everything lives in the model's memory until the model is destroyed, and does not change after
 * reading. Strings that the reader adds are copied.
 */
#ifndef DMD_DERIVE_MODEL_H
#define DMD_DERIVE_MODEL_H

#include "base/env.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_derive_place {
  const char *file;
  uint32_t line, column;
} dmd_derive_place_t;

/* The words of a member or a record. */
typedef enum {
  DMD_DERIVE_OWNS,        /* the block that it points to, and everything that block owns */
  DMD_DERIVE_OWNS_ARRAY,  /* like DMD_DERIVE_OWNS, for as many objects as text says */
  DMD_DERIVE_OWNS_LIST,   /* like DMD_DERIVE_OWNS, for pointers up to a null one */
  DMD_DERIVE_OWNS_BLOCK,  /* only the block; text: why */
  DMD_DERIVE_OWNS_AS,     /* like DMD_DERIVE_OWNS; text: the struct, which was not found */
  DMD_DERIVE_SHARES,      /* like DMD_DERIVE_OWNS, together with others */
  DMD_DERIVE_IGNORES,     /* nothing; text: why */
  DMD_DERIVE_MEASURED_BY, /* what the function named in text returns */
  DMD_DERIVE_HOLDS,       /* an array in the struct with as many used elements as text says */
  DMD_DERIVE_WHEN,        /* only if the condition in text is true */
  DMD_DERIVE_MEASURED,    /* of a record: write a function for it */
  DMD_DERIVE_MEASURED_AS, /* of a record: the same, with a reporter; text: its path */
  DMD_DERIVE_UNKNOWN      /* from a newer dmd.h */
} dmd_derive_word_kind_t;

typedef struct dmd_derive_word {
  dmd_derive_word_kind_t kind;
  const char *text;             /* the text in its parentheses; or "" */
  struct dmd_derive_word *next; /* in the order of the header */
} dmd_derive_word_t;

typedef enum {
  DMD_DERIVE_INTEGER, /* also enums, bool, characters */
  DMD_DERIVE_PLAIN,   /* any other type without pointers, such as floating point */
  DMD_DERIVE_VOID,
  DMD_DERIVE_POINTER,
  DMD_DERIVE_FUNCTION,
  DMD_DERIVE_ARRAY,
  DMD_DERIVE_RECORD
} dmd_derive_type_kind_t;

/* A type without its typedefs. */
typedef struct dmd_derive_type {
  dmd_derive_type_kind_t kind;
  const char *spelling;             /* as written in C, without a name; volatile: no typedefs */
  const struct dmd_derive_type *of; /* target of a pointer, element of an array; or NULL */
  const struct dmd_derive_record *record;
  uint64_t n; /* number of elements of an array; 0: a flexible array */
  bool is_const, is_volatile;
  bool is_cast; /* a pointer whose type comes from a word instead of C */
  uint64_t szB; /* 0: unknown, or none */
} dmd_derive_type_t;

typedef struct dmd_derive_member {
  const char
      *name; /* "": an anonymous struct or union, whose members count as the outer record's */
  const dmd_derive_type_t *type;
  const dmd_derive_word_t *words;
  dmd_derive_place_t place;
  uint64_t offset;                /* in bytes; for a bit field, of the byte with its first bit */
  struct dmd_derive_member *next; /* in the order of the header */
} dmd_derive_member_t;

typedef struct dmd_derive_record {
  const char *name;     /* "item" for struct item, or the typedef's name; "": none */
  const char *spelling; /* "struct item" */
  const dmd_derive_word_t *words;
  const dmd_derive_member_t *members;
  const struct dmd_derive_record *outer; /* in whose definition it is defined; or NULL */
  dmd_derive_place_t place;
  uint64_t szB;
  bool is_union, is_complete;
  bool is_wanted; /* in a header on the command line, so that functions are written for it */
  struct dmd_derive_record *next; /* in the order in which the headers define them */
} dmd_derive_record_t;

/* A function that the headers declare; words may name it. */
typedef struct dmd_derive_function {
  const char *name;
  bool returns_size; /* an unsigned integer of size_t's size, from one argument */
  struct dmd_derive_function *next;
} dmd_derive_function_t;

/* An enum constant or variable that expressions may name. */
typedef struct dmd_derive_global {
  const char *name;
  uint64_t value; /* of a constant */
  bool is_constant;
  bool is_wanted; /* in a header on the command line */
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

/* Allocates zeroed memory of the model; copies n bytes of text into such memory. */
void *dmd_derive_new(dmd_derive_model_t *model, size_t szB);
const char *dmd_derive_copy(dmd_derive_model_t *model, const char *text, size_t n);

/* A word from an annotation's text, "dmd:owns_array:count" (dmd-annotations.h makes it); NULL if it
 * is not one of dmd's. */
dmd_derive_word_t *dmd_derive_word_of(dmd_derive_model_t *model, const char *annotation);

/* A word's name in dmd.h: "DMD_OWNS". */
const char *dmd_derive_word_name(dmd_derive_word_kind_t kind);

/* The first word of this kind; NULL if not found. */
const dmd_derive_word_t *dmd_derive_find(const dmd_derive_word_t *words,
                                         dmd_derive_word_kind_t kind);

/* The word for a level (0: the outermost), or NULL. */
const dmd_derive_word_t *dmd_derive_level(const dmd_derive_member_t *member, unsigned level);

/* True if functions here or elsewhere measure this record. */
bool dmd_derive_is_measured(const dmd_derive_record_t *record);

/* True if a value of this type contains a pointer, perhaps in an inner struct. */
bool dmd_derive_has_pointer(const dmd_derive_type_t *type);

/* True if the members of this record, the type of a member, count as members of the outer record:
 * it is defined there and not measured itself. */
bool dmd_derive_is_inside(const dmd_derive_record_t *record);

/* The function, or the constant or variable, with this name in the headers; or NULL. */
const dmd_derive_function_t *dmd_derive_function(const dmd_derive_model_t *model, const char *name);
const dmd_derive_global_t *dmd_derive_global(const dmd_derive_model_t *model, const char *name);

/* ---- Casts. ----
 *
 * Resolves DMD_OWNS_AS, which gives pointers another type than C does.
 *
 * A program may keep a pointer to one of its structs as a `void *`; the word names the struct.
 * After all headers were read, the member's type becomes that struct, and the word becomes
 * DMD_DERIVE_OWNS. */

/* Resolves all members of a model that was just read. If a word does not name a measured struct or
 * has no pointer, it stays, and check.h reports it. */
void dmd_derive_cast(dmd_derive_model_t *model);

/* ---- Names in annotations. ----
 *
 * Resolves names in annotations.
 *
 * DMD_OWNS_ARRAY(count), DMD_HOLDS(count) and DMD_WHEN(condition) take a C expression in which the
 * struct's members are named like variables. A scope is a struct, perhaps within an outer one;
 * members of the inner struct come first. Members of anonymous structs and unions are found as in
 * C.
 *
 * Names that are not members (constants, macros, functions) stay as they are. DMD_INDEX is the
 * index of the element if the member is an array in the struct. */

typedef struct dmd_derive_scope {
  const dmd_derive_record_t *record;
  const char *access;                   /* prefix for access to a member: "self->", "self->u." */
  const struct dmd_derive_scope *outer; /* or NULL */
} dmd_derive_scope_t;

/* Finds a member by name in the record or in an anonymous record within it; NULL if not found. */
const dmd_derive_member_t *dmd_derive_member(const dmd_derive_record_t *record, const char *name,
                                             size_t n);

/* The member named by n bytes, and in *at the scope that has it; NULL if not found. */
const dmd_derive_member_t *dmd_derive_resolve(const dmd_derive_scope_t *scope, const char *name,
                                              size_t n, const dmd_derive_scope_t **at);

/* True if the text is exactly one C identifier. */
bool dmd_derive_is_name(const char *text);

/* Appends the expression as C code. index: the value of DMD_INDEX; NULL: none. */
void dmd_derive_expression(const dmd_derive_scope_t *scope, const char *text, const char *index,
                           dmd_strbuf_t *out);

#endif
