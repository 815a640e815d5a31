/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * types.h: the types of a program's data, as far as its debug information tells.
 *
 * Each type is here once: equal ones from several sources get one id. Ids count from 1; DMD_NONE is
 * the type that is not known, and void. Typedefs and qualifiers are not types; a struct without a
 * name of its own has that of its typedef.
 *
 * What a struct or union is made of is asked for when somebody wants to know it: `read_members` of
 * the source is called at the first look at a type's members. So only what occurs in a heap is read
 * of a large program's debug information, and types that point to each other come to an end.
 *
 * Types come from files of strangers: a struct may claim to contain itself, and arrays may claim
 * any size. Nothing here goes deeper than DMD_TYPES_MAX_DEPTH, and sums do not overflow.
 *
 * Concurrency: nothing locks, and even a look at members may read more of them.
 */
#ifndef DMD_GRAPH_TYPES_H
#define DMD_GRAPH_TYPES_H

#include "base/intern.h"
#include "base/strbuf.h"

enum { DMD_TYPES_MAX_DEPTH = 32 };

typedef enum {
  DMD_TYPE_BASE,      /* a number or the like */
  DMD_TYPE_CHARACTER, /* also unsigned char, uint8_t and std::byte: bytes, whatever they hold */
  DMD_TYPE_ENUM,
  DMD_TYPE_POINTER, /* and a reference */
  DMD_TYPE_FUNCTION,
  DMD_TYPE_STRUCT, /* and a class */
  DMD_TYPE_UNION,
  DMD_TYPE_ARRAY
} dmd_type_kind_t;

typedef struct dmd_type {
  uint8_t kind;    /* a dmd_type_kind_t */
  bool is_read;    /* members are there */
  uint32_t name;   /* of names; DMD_NONE: it has none of its own */
  uint32_t target; /* of a pointer, an array or its element; DMD_NONE: unknown, or void */
  uint32_t first_member, n_members;
  uint64_t szB;    /* 0: unknown, as of what is only declared */
  uint64_t count;  /* of an array: its elements; 0: as many as there is room for */
  uint64_t layout; /* tells structs of one name and size apart */
} dmd_type_t;

typedef struct dmd_type_member {
  uint32_t name;   /* DMD_NONE: a base class, or a struct or union without a name */
  uint32_t type;   /* DMD_NONE: unknown */
  uint64_t offset; /* in bytes; of a bit field that of its first byte */
} dmd_type_member_t;

typedef struct dmd_types dmd_types_t;

/* Whoever reads debug information: adds the members of a type, with dmd_types_set_members. */
typedef struct dmd_type_source {
  void (*read_members)(void *ctx, dmd_types_t *types, uint32_t type);
  void *ctx;
} dmd_type_source_t;

struct dmd_types {
  const dmd_env_t *env;
  dmd_type_source_t source;
  uint64_t pointer_szB; /* of the program's pointers */
  dmd_intern_t names;
  dmd_pool_t pool;    /* dmd_type_t */
  dmd_pool_t members; /* dmd_type_member_t */
  dmd_table_t index;
};

/* Must stay where it is until it is destroyed. */
void dmd_types_init(dmd_types_t *types, const dmd_env_t *env, uint64_t pointer_szB);
void dmd_types_destroy(dmd_types_t *types);

/* The id of this type, of which kind, name, target, szB, count and layout are given; the size of an
 * array follows from its elements. */
uint32_t dmd_types_add(dmd_types_t *types, const dmd_type_t *type);

/* The pointer to a type, or void *. */
uint32_t dmd_types_pointer_to(dmd_types_t *types, uint32_t target);

/* Gives a struct or union its members, in any order; once. */
void dmd_types_set_members(dmd_types_t *types, uint32_t type, const dmd_type_member_t *members,
                           uint32_t n);

static inline const dmd_type_t *dmd_type_at(const dmd_types_t *types, uint32_t type) {
  return DMD_POOL_AT(&types->pool, const dmd_type_t, type);
}

/* How many members a type has; 0 where it is no struct or union, or nothing is known. */
uint32_t dmd_types_n_members(dmd_types_t *types, uint32_t type);

/* The i-th of them, from 0. */
static inline const dmd_type_member_t *dmd_types_member(const dmd_types_t *types, uint32_t type,
                                                        uint32_t i) {
  return DMD_POOL_AT(&types->members, const dmd_type_member_t,
                     dmd_type_at(types, type)->first_member + i + 1);
}

/* Whether values of this type have a known size, so that they can be told apart in memory. */
static inline bool dmd_type_has_size(const dmd_types_t *types, uint32_t type) {
  return type != DMD_NONE && dmd_type_at(types, type)->szB > 0;
}

static inline bool dmd_type_is(const dmd_types_t *types, uint32_t type, dmd_type_kind_t kind) {
  return type != DMD_NONE && dmd_type_at(types, type)->kind == kind;
}

/* How much it says of a block that it holds values of a type. */
typedef enum {
  DMD_TELLS_NOTHING, /* no size, or void */
  DMD_TELLS_BYTES,   /* characters, which may stand for anything */
  DMD_TELLS_NUMBERS, /* and pointers to nobody knows what */
  DMD_TELLS_TYPE
} dmd_tells_t;

dmd_tells_t dmd_type_tells(const dmd_types_t *types, uint32_t type);

/* Whether a value of this struct may be followed by more elements of the array that it ends with:
 * `char text[]`, or one with [0] or [1] as it was written before C99. *start is where the array is,
 * and *element_szB what one takes; both may be NULL. */
bool dmd_type_is_flexible(dmd_types_t *types, uint32_t type, uint64_t *start,
                          uint64_t *element_szB);

/* What lies at an offset of a value of this type: the innermost element or member that begins
 * there and is neither struct, union nor array; DMD_NONE where there is none. Of members of a union
 * the one is taken that says most: a pointer to something known, else a pointer, else anything.
 * Appends to path, unless it is NULL, how one writes this member in C, "ht_table[0]" or
 * "head.next"; it is left alone where nothing is found. */
uint32_t dmd_type_find(dmd_types_t *types, uint32_t type, uint64_t offset, dmd_strbuf_t *path);

/* Appends the name as people write it: "dictEntry", "char *", "dictEntry *[2]", "void (*)()". */
void dmd_type_name(const dmd_types_t *types, uint32_t type, dmd_strbuf_t *to);

#endif
