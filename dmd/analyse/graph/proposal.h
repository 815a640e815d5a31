/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * proposal.h: proposes the line that a reporter's function lacks, for example `size +=
 * words_size_of(term->postings);`.
 *
 * The report of the block that points to the forgotten ones shows how the program measures. If the
 * innermost function of its stack has "size" in its name, its caller is the measuring function,
 * which passes it the block's address; otherwise the innermost function is, and reports by itself.
 * The line belongs in the measuring function. In the line, the block is named by a variable or
 * parameter of that function that points to a block of this type or, failing that, to the block's
 * referrer; else by its type's name.
 *
 * There is no proposal where the line would be wrong: the pointer leads into the middle of the
 * block, whose report would be a misreport, as for chunks with a header and objects of make_shared;
 * the member is private to the C++ library; or the block is an array, and the variable may point to
 * any of its elements.
 */
#ifndef DMD_ANALYSE_GRAPH_PROPOSAL_H
#define DMD_ANALYSE_GRAPH_PROPOSAL_H

#include "analyse/graph/owners.h"

/* Answers questions about variables of functions. */
typedef struct dmd_variable_namer {
  /* Appends the name of a variable, a pointer to this type, of the functions (including inlined
   * ones) around an address in an object of the graph. Returns false if not found. */
  bool (*name)(void *ctx, uint32_t object, uint64_t addr, uint32_t type, dmd_strbuf_t *to);
  void *ctx;
} dmd_variable_namer_t;

typedef struct dmd_proposal {
  uint32_t frame; /* of the profile: a line in the measuring function; DMD_NONE: no proposal */
  dmd_strbuf_t line;
} dmd_proposal_t;

/* Makes a proposal if the blocks have an owner and a single edge label. namer: NULL: variables are
 * unknown. */
void dmd_proposal_init(dmd_proposal_t *proposal, const dmd_owners_t *owners,
                       const dmd_ownership_t *ownership, const dmd_variable_namer_t *namer);
void dmd_proposal_destroy(dmd_proposal_t *proposal);

/* ---- Known variables. ----
 *
 * Stores answers about variables of functions (above) for use without debug
 * information, such as in a page.
 *
 * Call order: init; dmd_knownvariables_collect, or add with stored answers; then namer.namer
 * answers from them. Must not move. Memory: 24 bytes a variable, and the names. */

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
