/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * knownvariables.h: stores answers about variables of functions (proposal.h) for use without debug
 * information, such as in a page.
 *
 * Call order: init; dmd_knownvariables_collect, or add with stored answers; then namer.namer
 * answers from them. Must not move. Memory: 24 bytes a variable, and the names.
 */
#ifndef DMD_ANALYSE_GRAPH_KNOWNVARIABLES_H
#define DMD_ANALYSE_GRAPH_KNOWNVARIABLES_H

#include "analyse/graph/proposal.h"

/* In the functions around an address in an object, this variable points to this type. */
typedef struct dmd_known_variable {
  uint64_t addr;
  uint32_t object, type;
  uint32_t name; /* in names */
} dmd_known_variable_t;

typedef struct dmd_knownvariables {
  dmd_intern_t names;
  dmd_pool_t variables; /* dmd_known_variable_t */
  dmd_table_t index;
  dmd_variable_namer_t namer; /* answers from the stored variables */
} dmd_knownvariables_t;

void dmd_knownvariables_init(dmd_knownvariables_t *known, const dmd_env_t *env);
void dmd_knownvariables_destroy(dmd_knownvariables_t *known);

/* The first answer for a place and a type counts. */
void dmd_knownvariables_add(dmd_knownvariables_t *known, uint32_t object, uint64_t addr,
                            uint32_t type, const char *name);

/* Stores what `asked` answers for the proposals of all owners. */
void dmd_knownvariables_collect(dmd_knownvariables_t *known, const dmd_owners_t *owners,
                                const dmd_variable_namer_t *asked);

static inline uint32_t dmd_knownvariables_count(const dmd_knownvariables_t *known) {
  return known->variables.last;
}

/* The i-th variable, from 1. */
static inline const dmd_known_variable_t *dmd_knownvariables_at(const dmd_knownvariables_t *known,
                                                                uint32_t i) {
  return DMD_POOL_AT(&known->variables, const dmd_known_variable_t, i);
}

#endif
