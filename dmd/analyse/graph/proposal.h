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

#endif
