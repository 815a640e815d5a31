/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * variables.h: the variables in the data of a program's objects.
 *
 * Whoever loads a heap graph cuts each root that is an object's data into its variables and what
 * lies between them, so that a variable is a node of its own, with a name and perhaps a type.
 * Stacks and thread-local storage are cut in the same way.
 *
 * To be filled with dmd_variables_add in any order, then dmd_variables_sort, then only read.
 * Variables that overlap, as one with two names does, are one: the one with a type, else the
 * larger, else the one that was added first.
 */
#ifndef DMD_GRAPH_VARIABLES_H
#define DMD_GRAPH_VARIABLES_H

#include "graph/heapgraph.h"
#include "graph/types.h"

typedef struct dmd_variable {
  uint32_t object; /* of the heap graph */
  uint32_t name;   /* of names */
  uint32_t type;   /* DMD_NONE: unknown */
  uint64_t addr;   /* in the object: its bias is subtracted */
  uint64_t szB;
} dmd_variable_t;

typedef struct dmd_variables {
  const dmd_env_t *env;
  dmd_intern_t names;
  dmd_pool_t pool;
  uint32_t *order; /* once sorted: n ids by object and address, none of which overlap */
  uint32_t n;
} dmd_variables_t;

void dmd_variables_init(dmd_variables_t *variables, const dmd_env_t *env);
void dmd_variables_destroy(dmd_variables_t *variables);

/* Of no bytes: ignored. */
void dmd_variables_add(dmd_variables_t *variables, const dmd_variable_t *variable);
void dmd_variables_sort(dmd_variables_t *variables);

/* What is to be cut: memory of a root from an address on. */
typedef struct dmd_uncut {
  dmd_root_kind_t kind; /* DMD_ROOT_DATA, DMD_ROOT_STACK or DMD_ROOT_THREAD */
  uint32_t object;      /* whose data it is, or whose code has the frame; DMD_NONE: unknown */
  uint64_t code;        /* of a stack: where in that object the function is */
  uint64_t addr;        /* in the object (its bias is subtracted), or less the root's origin */
  uint64_t szB;         /* at least 1 */
} dmd_uncut_t;

/* A part of an object's data. */
typedef struct dmd_data_part {
  uint64_t szB;                   /* at least 1 */
  const dmd_variable_t *variable; /* NULL: it lies between variables */
} dmd_data_part_t;

/* The part that begins at an address of an object, in whose data szB bytes, at least 1, follow
 * there. A variable that begins earlier, or does not end within them, counts as what lies between.
 */
dmd_data_part_t dmd_variables_part(const dmd_variables_t *variables, uint32_t object, uint64_t addr,
                                   uint64_t szB);

/* The variable in which this address lies; NULL: none. */
const dmd_variable_t *dmd_variables_around(const dmd_variables_t *variables, uint32_t object,
                                           uint64_t addr);

#endif
