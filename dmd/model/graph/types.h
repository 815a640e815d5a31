/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * types.h: the types of a program's data, from its debug information.
 *
 * Types are unique: equal types from several sources have one id. Ids count from 1; DMD_NONE stands
 * for unknown types and void. Typedefs and qualifiers are not types; a struct without a name has
 * that of its typedef.
 *
 * Members of a struct or union are read on demand: the first access calls the source's
 * `read_members`. So only types that occur in a heap are read from large debug information, and
 * types that point to each other cause no infinite recursion.
 *
 * Types come from untrusted files: a struct may claim to contain itself, and arrays may claim any
 * size. Depth is limited to DMD_TYPES_MAX_DEPTH, and sums do not overflow.
 *
 * Concurrency: even an access to members may read more of them, and thus writes.
 */
#ifndef DMD_MODEL_GRAPH_TYPES_H
#define DMD_MODEL_GRAPH_TYPES_H

#include "base/intern.h"
#include "base/strbuf.h"
#include "model/graph/heapgraph.h"

enum { DMD_TYPES_MAX_DEPTH = 32 };

typedef enum {
  DMD_TYPE_BASE,      /* a number or similar */
  DMD_TYPE_CHARACTER, /* also unsigned char, uint8_t and std::byte: bytes with any content */
  DMD_TYPE_ENUM,
  DMD_TYPE_POINTER, /* or a reference */
  DMD_TYPE_FUNCTION,
  DMD_TYPE_STRUCT, /* or a class */
  DMD_TYPE_UNION,
  DMD_TYPE_ARRAY
} dmd_type_kind_t;

typedef struct dmd_type {
  uint8_t kind;    /* a dmd_type_kind_t */
  bool is_read;    /* members were read */
  uint32_t name;   /* in names; DMD_NONE: unnamed */
  uint32_t target; /* target or element type of a pointer or array; DMD_NONE: unknown, or void */
  uint32_t first_member, n_members;
  uint64_t szB;    /* 0: unknown, as for types only declared */
  uint64_t count;  /* of an array: number of elements; 0: as many as fit */
  uint64_t layout; /* distinguishes structs of equal name and size */
} dmd_type_t;

typedef struct dmd_type_member {
  uint32_t name;     /* DMD_NONE: a base class, or an unnamed struct or union */
  uint32_t type;     /* DMD_NONE: unknown */
  uint64_t offset;   /* in bytes; for a bit field that of its first byte */
  uint32_t bits_szB; /* of a bit field: how many bytes it is in; 0: not a bit field */
} dmd_type_member_t;

typedef struct dmd_types dmd_types_t;

/* Reads debug information: adds the members of a type with dmd_types_set_members. */
typedef struct dmd_type_source {
  void (*read_members)(void *ctx, dmd_types_t *types, uint32_t type);
  void *ctx;
} dmd_type_source_t;

struct dmd_types {
  const dmd_env_t *env;
  dmd_type_source_t source;
  uint64_t pointer_szB; /* size of the program's pointers */
  dmd_intern_t names;
  dmd_pool_t pool;    /* dmd_type_t */
  dmd_pool_t members; /* dmd_type_member_t */
  dmd_table_t index;
};

/* Must not move until it is destroyed. */
void dmd_types_init(dmd_types_t *types, const dmd_env_t *env, uint64_t pointer_szB);
void dmd_types_destroy(dmd_types_t *types);

/* The id of a type with this kind, name, target, szB, count and layout. The size of an array is
 * computed from its elements. */
uint32_t dmd_types_add(dmd_types_t *types, const dmd_type_t *type);

/* The pointer to a type, or void *. */
uint32_t dmd_types_pointer_to(dmd_types_t *types, uint32_t target);

/* Sets the members of a struct or union, in any order; call once. */
void dmd_types_set_members(dmd_types_t *types, uint32_t type, const dmd_type_member_t *members,
                           uint32_t n);

static inline const dmd_type_t *dmd_type_at(const dmd_types_t *types, uint32_t type) {
  return DMD_POOL_AT(&types->pool, const dmd_type_t, type);
}

/* Number of members; 0 if the type is not a struct or union, or if they are unknown. */
uint32_t dmd_types_n_members(dmd_types_t *types, uint32_t type);

/* The i-th of them, from 0. */
static inline const dmd_type_member_t *dmd_types_member(const dmd_types_t *types, uint32_t type,
                                                        uint32_t i) {
  return DMD_POOL_AT(&types->members, const dmd_type_member_t,
                     dmd_type_at(types, type)->first_member + i + 1);
}

/* True if values of this type have a known size. */
static inline bool dmd_type_has_size(const dmd_types_t *types, uint32_t type) {
  return type != DMD_NONE && dmd_type_at(types, type)->szB > 0;
}

static inline bool dmd_type_is(const dmd_types_t *types, uint32_t type, dmd_type_kind_t kind) {
  return type != DMD_NONE && dmd_type_at(types, type)->kind == kind;
}

/* How informative it is that a block contains values of a type. */
typedef enum {
  DMD_TELLS_NOTHING, /* unknown size, or void */
  DMD_TELLS_BYTES,   /* characters, which may represent anything */
  DMD_TELLS_NUMBERS, /* and pointers to unknown targets */
  DMD_TELLS_TYPE
} dmd_tells_t;

dmd_tells_t dmd_type_tells(const dmd_types_t *types, uint32_t type);

/* True if a value of this struct may be followed by more elements of its final array: `char
 * text[]`, or [0] or [1] in the style before C99. *start is the array's offset, *element_szB the
 * size of an element; both may be NULL. */
bool dmd_type_is_flexible(dmd_types_t *types, uint32_t type, uint64_t *start,
                          uint64_t *element_szB);

/* The innermost element or member that begins at an offset of a value of this type and is not a
 * struct, union or array; DMD_NONE if not found. Among members of a union, selects the most
 * informative: a pointer to a known target, else a pointer, else any. Appends the member in C
 * syntax, "ht_table[0]" or "head.next", to path unless that is NULL; leaves path alone if nothing
 * is found. */
uint32_t dmd_type_find(dmd_types_t *types, uint32_t type, uint64_t offset, dmd_strbuf_t *path);

/* True if a member's name is reserved for the C++ library, such as `_M_impl` or `__begin_`:
 * programs do not use such members. */
static inline bool dmd_type_is_private(const char *member) {
  return member[0] == '_' && (member[1] == '_' || (member[1] >= 'A' && member[1] <= 'Z'));
}

/* Appends the readable name: "dictEntry", "char *", "dictEntry *[2]", "void (*)()". */
void dmd_type_name(const dmd_types_t *types, uint32_t type, dmd_strbuf_t *to);

/* ---- Variables. ----
 *
 * The variables in the data of a program's objects.
 *
 * The loader of a heap graph cuts the data of each object into variables and the gaps between them,
 * so that each variable is a node of its own, with a name and perhaps a type. Stacks and
 * thread-local storage are cut in the same way.
 *
 * Call order: dmd_variables_add in any order, dmd_variables_sort, then only read. Overlapping
 * variables, such as aliases, are merged: one with a type is kept, else the larger, else the one
 * added first. */

typedef struct dmd_variable {
  uint32_t object; /* of the heap graph */
  uint32_t name;   /* of names */
  uint32_t type;   /* DMD_NONE: unknown */
  uint64_t addr;   /* in the object (without its bias) */
  uint64_t szB;
} dmd_variable_t;

typedef struct dmd_variables {
  const dmd_env_t *env;
  dmd_intern_t names;
  dmd_pool_t pool;
  uint32_t *order; /* once sorted: n ids by object and address, without overlaps */
  uint32_t n;
} dmd_variables_t;

void dmd_variables_init(dmd_variables_t *variables, const dmd_env_t *env);
void dmd_variables_destroy(dmd_variables_t *variables);

/* Ignores empty variables. */
void dmd_variables_add(dmd_variables_t *variables, const dmd_variable_t *variable);
void dmd_variables_sort(dmd_variables_t *variables);

/* Memory to be cut: that of a root from an address on. */
typedef struct dmd_uncut {
  dmd_root_kind_t kind; /* DMD_ROOT_DATA, DMD_ROOT_STACK or DMD_ROOT_THREAD */
  uint32_t object;      /* the object whose data it is, or that contains the frame's code; DMD_NONE:
                           unknown */
  uint64_t code;        /* for a stack: address of the function in that object */
  uint64_t addr;        /* in the object (without its bias), or relative to the root's origin */
  uint64_t szB;         /* at least 1 */
} dmd_uncut_t;

/* A part of an object's data. */
typedef struct dmd_data_part {
  uint64_t szB;                   /* at least 1 */
  const dmd_variable_t *variable; /* NULL: a gap between variables */
} dmd_data_part_t;

/* The part that begins at an address of an object, whose data continues for szB bytes (at least 1).
 * A variable that begins earlier, or ends later, counts as a gap. */
dmd_data_part_t dmd_variables_part(const dmd_variables_t *variables, uint32_t object, uint64_t addr,
                                   uint64_t szB);

/* The variable that contains this address, or NULL. */
const dmd_variable_t *dmd_variables_around(const dmd_variables_t *variables, uint32_t object,
                                           uint64_t addr);

#endif
