/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimcases.h: what functions said about the sizes of objects, beside what the objects are made
 * of.
 *
 * A function with a name such as ZSTD_sizeof_DCtx returns the size of the object that it gets: a
 * claim. What it means to count is not known. So for each claim there are several sizes that it may
 * mean: the object's block; what the object owns, down to other objects about which there are
 * claims; all that it retains. What the object retains is also cut into parts: blocks of one type
 * that members of one name lead to. A shape is a set of parts: objects of one shape are made of the
 * same things, in different numbers.
 *
 * A function without an argument counts a set of blocks instead: a case then has one size, which
 * the engine took when the function returned, and parts by kind.
 *
 * analyse/claims/claimgraph.h makes cases of a heap graph, analyse/claims/claimrules.h finds rules.
 */
#ifndef DMD_ANALYSE_CLAIMS_CLAIMCASES_H
#define DMD_ANALYSE_CLAIMS_CLAIMCASES_H

#include "base/intern.h"
#include "model/profile/profile.h"

typedef struct dmd_claim_size {
  uint64_t blocks, req, usable; /* blocks; bytes */
} dmd_claim_size_t;

static inline void dmd_claim_size_add(dmd_claim_size_t *to, const dmd_claim_size_t *size) {
  to->blocks += size->blocks;
  to->req += size->req;
  to->usable += size->usable;
}

static inline dmd_claim_size_t dmd_claim_size_less(const dmd_claim_size_t *size,
                                                   const dmd_claim_size_t *less) {
  return (dmd_claim_size_t){.blocks = size->blocks - less->blocks,
                            .req = size->req - less->req,
                            .usable = size->usable - less->usable};
}

static inline uint64_t dmd_claim_size_bytes(const dmd_claim_size_t *size, bool is_usable) {
  return is_usable ? size->usable : size->req;
}

/* What a claim may be about. */
typedef enum {
  DMD_CLAIM_BLOCK,    /* the object's own block */
  DMD_CLAIM_OWNED,    /* what it retains, without other objects that are claimed, and theirs */
  DMD_CLAIM_RETAINED, /* all that would be freed with it */
  DMD_N_CLAIM_SCOPES
} dmd_claim_scope_t;

typedef struct dmd_claim_part {
  uint32_t key;   /* of names: equal for equal parts of two objects, unique within one */
  uint32_t name;  /* of names, such as "text: char[] from make"; the object itself: its type */
  uint32_t path;  /* of names: the members that lead to its first block; DMD_NONE: the object */
  uint32_t site;  /* of names: where its first block was allocated; DMD_NONE: unknown */
  bool is_shared; /* the object leads to it without retaining it */
  dmd_claim_size_t own;
  dmd_claim_size_t whole;                    /* with all that these blocks retain */
  dmd_claim_size_t own_others, whole_others; /* of these, what other objects with claims retain */
} dmd_claim_part_t;

typedef struct dmd_claim_case {
  uint32_t function; /* of names */
  uint32_t file;     /* from 0: the graph that it was judged by */
  uint32_t stack;    /* of that graph's profile, or where stacks were moved; DMD_NONE: unknown */
  uint32_t shape;    /* of names */
  bool is_of_set;    /* about a set of blocks: all sizes are equal */
  uint8_t value_szB; /* size of the function's result; 0: unknown */
  uint64_t argument, value, count;
  dmd_claim_size_t size[DMD_N_CLAIM_SCOPES];
  uint32_t first_part, n_parts; /* retained ones first, in the order of their keys */
  uint32_t n_retained;          /* of the parts; a shape determines these */
  uint32_t object_part;         /* of those, from 0: the object itself */
} dmd_claim_case_t;

/* Claims of a function that cannot be judged. */
typedef struct dmd_claim_function_sums {
  uint32_t name;
  uint32_t set;          /* of names: what it counts; DMD_NONE: an object */
  uint64_t n_outdated;   /* the object changed before it could be looked at */
  uint64_t n_no_block;   /* the argument is not in a block */
  uint64_t n_unmeasured; /* the set was not added up, since that would have taken too long */
} dmd_claim_function_sums_t;

typedef struct dmd_claimcases {
  const dmd_env_t *env;
  dmd_intern_t names;
  dmd_pool_t cases;     /* in the order of the claims */
  dmd_pool_t parts;     /* dmd_claim_part_t */
  dmd_pool_t functions; /* dmd_claim_function_sums_t, in the order of their first claims */
} dmd_claimcases_t;

void dmd_claimcases_init(dmd_claimcases_t *cases, const dmd_env_t *env);
void dmd_claimcases_destroy(dmd_claimcases_t *cases);

/* The sums of a function, which are 0 at first. Valid until the next call. */
dmd_claim_function_sums_t *dmd_claimcases_function(dmd_claimcases_t *cases, uint32_t name);

/* Adds a case with these parts, of which the first is the object itself: sets the keys of the
 * parts, which get sorted, and the fields of the case that depend on them. */
void dmd_claimcases_add(dmd_claimcases_t *cases, const dmd_claim_case_t *added,
                        dmd_claim_part_t *parts, uint32_t n_parts);

static inline const dmd_claim_case_t *dmd_claimcases_at(const dmd_claimcases_t *cases,
                                                        uint32_t id) {
  return DMD_POOL_AT(&cases->cases, const dmd_claim_case_t, id);
}

/* The i-th part of a case, from 0. */
static inline const dmd_claim_part_t *dmd_claimcases_part(const dmd_claimcases_t *cases,
                                                          const dmd_claim_case_t *c, uint32_t i) {
  return DMD_POOL_AT(&cases->parts, const dmd_claim_part_t, c->first_part + i);
}

/* Copies the stacks of the cases from `first` on from one profile to another, which may outlive the
 * graph. */
void dmd_claimcases_move_stacks(dmd_claimcases_t *cases, uint32_t first, dmd_profile_t *to,
                                const dmd_profile_t *from);

/* The part of a case with this key; NULL: none. */
const dmd_claim_part_t *dmd_claimcases_find(const dmd_claimcases_t *cases,
                                            const dmd_claim_case_t *c, uint32_t key);

static inline const char *dmd_claimcases_name(const dmd_claimcases_t *cases, uint32_t id) {
  return dmd_intern_get_str(&cases->names, id);
}

#endif
