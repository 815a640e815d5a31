/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * variables.h: the variables in the data of a program's objects.
 *
 * The loader of a heap graph cuts the data of each object into variables and the gaps between them,
 * so that each variable is a node of its own, with a name and perhaps a type. Stacks and
 * thread-local storage are cut in the same way.
 *
 * Call order: dmd_variables_add in any order, dmd_variables_sort, then only read. Overlapping
 * variables, such as aliases, are merged: one with a type is kept, else the larger, else the one
 * added first.
 */
#ifndef DMD_MODEL_GRAPH_VARIABLES_H
#define DMD_MODEL_GRAPH_VARIABLES_H

#include "model/graph/heapgraph.h"
#include "model/graph/types.h"

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
