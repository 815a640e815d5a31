/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimfns.h: what functions of the program say about the sizes of its objects (--claim-fn).
 *
 * Each return of such a function is a claim: the function's argument, its result, and its stack.
 * Claims wait for the next heap graph, which shows whether they are true. A graph shows one moment,
 * and an object may change between the claim and the graph. So at the claim the blocks that the
 * argument leads to are walked, breadth first, and their addresses and sizes are kept as one
 * number, the signature. If a second walk at the graph finds another signature, the claim is
 * outdated, and nobody judges it. Changes of pointers alone, from one old block to another, are not
 * noticed.
 *
 * Objects often end, or change, soon after somebody asked for their size. So a graph is written as
 * soon as the host can do it after a claim (`is_due`), for the first claims of each function and
 * then when their number has doubled; after each claim, up to a limit, of a function whose claims
 * were outdated, as in interpreters, where an object leads to its class and from there to
 * everything; and before a block that a claim led to is freed (dmd_claimfns_need), the first few
 * times and then when the number of all claims has doubled.
 *
 * A function without an argument says how large a set of blocks is (claimsets.h). The sum of the
 * set is taken at the claim. A graph that is written at once shows what the set consists of; so one
 * is due, up to a limit, if the function's number differs from the sum by another number than
 * before.
 *
 * Equal claims with equal signatures are counted as one. Memory: some 60 bytes a claim, and 20 for
 * each block that claims lead to, up to a limit. Cost of a claim: a walk of at most some thousand
 * blocks.
 *
 * A walk reads the program's blocks where they are, without catching traps, since it may run amid
 * translated code: so it stays out of announced blocks, which may lie in mapped files.
 */
#ifndef DMD_RECORD_ENGINE_CLAIMFNS_H
#define DMD_RECORD_ENGINE_CLAIMFNS_H

#include "record/engine/claimsets.h"
#include "record/engine/options.h"
#include "record/heap/capture.h"
#include "record/host.h"

typedef struct dmd_claimfns {
  const dmd_env_t *env;
  const dmd_engine_host_t *host;
  const dmd_options_t *options;
  dmd_blocks_t *blocks;
  dmd_claimsets_t sets;
  dmd_pool_t set_of;      /* by number of the option: uint32_t, its set; DMD_NONE: none */
  dmd_intern_t functions; /* names of those that matched, and texts of sets */
  dmd_pool_t used;        /* by number of the option: uint32_t, functions that matched */
  dmd_intern_t inlined;   /* names of functions that matched, of which inlined calls ran */
  dmd_pool_t claims;      /* since the latest graph */
  dmd_table_t index;
  dmd_pool_t walked; /* of the current walk: addresses of blocks */
  dmd_table_t walked_index;
  dmd_pool_t needed; /* addresses of blocks that claims lead to */
  dmd_table_t needed_index;
  dmd_pool_t counts;       /* by function: of claims ever made */
  uint32_t n_prompt;       /* times that a graph was due because earlier claims were outdated */
  uint64_t n_claims;       /* ever made, by all */
  bool is_due;             /* a graph should be written before the program goes on */
  uint32_t n_before_frees; /* graphs that were written before a free */
  uint64_t n_at_free;      /* claims made before the latest of these */
} dmd_claimfns_t;

/* All must stay in place until it is destroyed. */
void dmd_claimfns_init(dmd_claimfns_t *fns, const dmd_env_t *env, const dmd_engine_host_t *host,
                       const dmd_options_t *options, dmd_live_t *live);
void dmd_claimfns_destroy(dmd_claimfns_t *fns);

/* A function whose claims are wanted. */
typedef struct dmd_claim_function {
  uint32_t name;     /* of functions */
  uint32_t argument; /* its number, from 1; 0: it counts a set of blocks */
} dmd_claim_function_t;

/* Whether the function with this name, as printed, is one. */
bool dmd_claimfns_match(dmd_claimfns_t *fns, const char *name, dmd_claim_function_t *function);

/* An inlined call of a function of this name ran, as debug information has it: in C++ without its
 * class or namespace. */
void dmd_claimfns_note_inlined(dmd_claimfns_t *fns, const char *name);

/* The function returned this value. */
typedef struct dmd_new_claim {
  uint32_t function;        /* of functions */
  uint32_t stack;           /* of the host's */
  uint64_t argument, value; /* argument 0 for a set */
} dmd_new_claim_t;

void dmd_claimfns_add(dmd_claimfns_t *fns, const dmd_new_claim_t *claim);

/* Whether a graph should be written before the block at this address is freed. */
bool dmd_claimfns_need(const dmd_claimfns_t *fns, uint64_t addr);

/* A graph is about to be written, because one is due or is needed. */
void dmd_claimfns_note_graph(dmd_claimfns_t *fns);

/* Number the stacks of all claims; then write the claims, which are forgotten. */
void dmd_claimfns_number(dmd_claimfns_t *fns, dmd_numbering_t *stacks);
void dmd_claimfns_write(dmd_claimfns_t *fns, dmd_numbering_t *stacks, dmd_graphwriter_t *file);

/* Tells the user of patterns that matched no function, and of inlined calls. */
void dmd_claimfns_say_unused(dmd_claimfns_t *fns);

#endif
