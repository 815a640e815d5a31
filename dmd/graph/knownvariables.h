/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * knownvariables.h: what somebody who knows the variables of functions (proposal.h) said, kept for
 * where nobody does: debug information is where dmdv runs, and not in a page.
 *
 * Use: init; dmd_knownvariables_collect, or add what was kept elsewhere; then namer.namer answers
 * from what is known. Must stay where it is. Memory: 24 bytes a variable, and the names.
 *
 * Concurrency: nothing locks.
 */
#ifndef DMD_GRAPH_KNOWNVARIABLES_H
#define DMD_GRAPH_KNOWNVARIABLES_H

#include "graph/proposal.h"

/* Around an address in an object, this variable points to this type. */
typedef struct dmd_known_variable {
  uint64_t addr;
  uint32_t object, type;
  uint32_t name; /* of names */
} dmd_known_variable_t;

typedef struct dmd_knownvariables {
  dmd_intern_t names;
  dmd_pool_t variables; /* dmd_known_variable_t */
  dmd_table_t index;
  dmd_variable_namer_t namer; /* who says what is known */
} dmd_knownvariables_t;

void dmd_knownvariables_init(dmd_knownvariables_t *known, const dmd_env_t *env);
void dmd_knownvariables_destroy(dmd_knownvariables_t *known);

/* The first that is said of a place and a type counts. */
void dmd_knownvariables_add(dmd_knownvariables_t *known, uint32_t object, uint64_t addr,
                            uint32_t type, const char *name);

/* Adds what `asked` says to proposals for all owners. */
void dmd_knownvariables_collect(dmd_knownvariables_t *known, const dmd_owners_t *owners,
                                const dmd_variable_namer_t *asked);

static inline uint32_t dmd_knownvariables_count(const dmd_knownvariables_t *known) {
  return known->variables.last;
}

/* The i-th, from 1. */
static inline const dmd_known_variable_t *dmd_knownvariables_at(const dmd_knownvariables_t *known,
                                                                uint32_t i) {
  return DMD_POOL_AT(&known->variables, const dmd_known_variable_t, i);
}

#endif
