/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * proposal.h: the line that a reporter's function lacks: `size += words_size_of(term->postings);`.
 *
 * The report of the block that points to the forgotten ones says how its program measures: the
 * innermost function of its stack, where that has "size" in its name, is called by the measuring
 * function with the block's address. So the line goes there. Where the innermost function has no
 * such name, it is the measuring function, and reports by itself. What stands for the block in the
 * line is a variable or parameter of that function which points to a block of this type or, where
 * there is none, to what points to the block; else the type's name.
 */
#ifndef DMD_GRAPH_PROPOSAL_H
#define DMD_GRAPH_PROPOSAL_H

#include "graph/owners.h"

/* Who knows the variables of functions. */
typedef struct dmd_variable_namer {
  /* Appends the name of a variable of the functions, inlined ones too, around an address in an
   * object of the graph, that is a pointer to this type. False: there is none. */
  bool (*name)(void *ctx, uint32_t object, uint64_t addr, uint32_t type, dmd_strbuf_t *to);
  void *ctx;
} dmd_variable_namer_t;

typedef struct dmd_proposal {
  uint32_t frame; /* of the profile: the measuring function, and a line in it; DMD_NONE: there is no
                     proposal */
  dmd_strbuf_t line;
} dmd_proposal_t;

/* For blocks that an owner holds in one way; else there is none. namer: NULL: nobody knows. */
void dmd_proposal_init(dmd_proposal_t *proposal, const dmd_owners_t *owners,
                       const dmd_ownership_t *ownership, const dmd_variable_namer_t *namer);
void dmd_proposal_destroy(dmd_proposal_t *proposal);

#endif
