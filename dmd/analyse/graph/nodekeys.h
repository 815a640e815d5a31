/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nodekeys.h: the keys by which blocks of a heap graph are grouped and filtered.
 *
 * For each key every block has a value: a small number and a name; equal names mean equal values. A
 * name is built once for all blocks that agree in everything it depends on.
 *
 *   type      dmd_typing_name: "dictEntry", "posting[]", "from lpNew"
 *   stack     of the allocation: frames, one per line, up to a limit
 *   function, file, library    the place of the allocation (analyse/records/rows.h)
 *   reporter  all reporters of the block, so that each block has one value
 *   state     unreported, once, twice; in modes other than dark-matter the mode
 *   tag, thread
 *   size      usable bytes, rounded up to a power of two: "33 to 64 bytes"
 *   root      the nearest root (nesting.h)
 *   holder    the dominating referrer: a member of a type, or a variable
 *
 * Queries cache their results.
 */
#ifndef DMD_ANALYSE_GRAPH_NODEKEYS_H
#define DMD_ANALYSE_GRAPH_NODEKEYS_H

#include "analyse/graph/kinds.h"
#include "analyse/records/record.h"
#include "analyse/records/rows.h"

/* ---- Referrers. ----
 *
 * The dominating referrer of each block of a heap graph.
 *
 * A block's referrer is the node without which it would be unreachable, its immediate dominator
 * (dominators.h), and the member that points to the block. Blocks with equal referrers share an id,
 * from 1 on, made of a kind of node and an edge label (kinds.h). For a block that is no longer
 * needed it says where to look.
 *
 *   term.postings             a member of a type
 *   catalog                   a variable, or a member of one: server.db
 *   from term_new +0x18       the type is unknown
 *   dict (in several ways)    no direct pointer: several nodes in between lead to the block
 *   (several roots)           no single node dominates it
 *   (lost)
 *
 * Stale words (stale.h) hold nothing.
 *
 * Cost: the dominator tree during construction, then 4 bytes a node. */

typedef struct dmd_node_referrers {
  dmd_kinds_t *kinds;
  uint32_t *of; /* by node */
  dmd_intern_t referrers;
} dmd_node_referrers_t;

void dmd_node_referrers_init(dmd_node_referrers_t *node_referrers, dmd_kinds_t *kinds);
void dmd_node_referrers_destroy(dmd_node_referrers_t *node_referrers);

/* Appends the name of a referrer. */
void dmd_node_referrers_name(const dmd_node_referrers_t *node_referrers, uint32_t referrer,
                             dmd_strbuf_t *to);

/* ---- Keys. ---- */

/* The words of all keys, in order, in the form of option tables. */
#define DMD_NODEKEY_WORDS                                                                          \
  "type|stack|function|file|library|reporter|state|tag|thread|size|root|holder"

typedef enum {
  DMD_KEY_TYPE,
  DMD_KEY_STACK,
  DMD_KEY_FUNCTION,
  DMD_KEY_FILE,
  DMD_KEY_LIBRARY,
  DMD_KEY_REPORTER,
  DMD_KEY_STATE,
  DMD_KEY_TAG,
  DMD_KEY_THREAD,
  DMD_KEY_SIZE,
  DMD_KEY_ROOT,
  DMD_KEY_REFERRER,
  DMD_N_KEYS
} dmd_nodekey_t;

/* The word on the command line and in JSON. */
const char *dmd_nodekey_name(dmd_nodekey_t key);

/* The key for the first n bytes of a word; DMD_N_KEYS if unknown. */
dmd_nodekey_t dmd_nodekey_of(const char *word, size_t n);

typedef struct dmd_nodekeys {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  uint32_t max_frames; /* of stacks */
  dmd_places_t places;
  uint32_t *nearest; /* computed on demand, as is node_referrers */
  dmd_node_referrers_t *node_referrers;
  struct {
    dmd_intern_t names; /* by value */
    dmd_pool_t values;  /* uint32_t, by source of the name + 1; DMD_NONE: not built yet */
  } of[DMD_N_KEYS];
} dmd_nodekeys_t;

/* The kinds, and their graph, must outlive the keys. */
void dmd_nodekeys_init(dmd_nodekeys_t *keys, dmd_kinds_t *kinds, uint32_t max_frames);
void dmd_nodekeys_destroy(dmd_nodekeys_t *keys);

/* The value of a block, from 1. */
uint32_t dmd_nodekeys_value(dmd_nodekeys_t *keys, dmd_nodekey_t key, uint32_t node);

static inline const char *dmd_nodekeys_name(const dmd_nodekeys_t *keys, dmd_nodekey_t key,
                                            uint32_t value) {
  return dmd_intern_get_str(&keys->of[key].names, value);
}

/* ---- Filters. ----
 *
 * Filters blocks of a heap graph by their attributes.
 *
 * A filter is KEY=TEXT, with a key of the above: a block passes if the name of its value contains
 * the text. TEXT alone searches the lines of the allocation stack. A leading '!' negates the
 * filter. Each value is searched once. */

typedef struct dmd_nodefilter {
  const char *given;
  const char *text; /* the text to find */
  dmd_nodekey_t key;
  bool negated;
  bool found;        /* at least one block's value contains it; else it may be misspelt */
  dmd_pool_t judged; /* by value: see nodekeys.c */
} dmd_nodefilter_t;

/* Borrows `given`, which must outlive the filter. */
void dmd_nodefilter_init(dmd_nodefilter_t *filter, const dmd_env_t *env, const char *given);
void dmd_nodefilter_destroy(dmd_nodefilter_t *filter);

/* Call before blocks of another graph, or other keys, are filtered: value numbers differ there. */
void dmd_nodefilters_forget(dmd_nodefilter_t *filters, uint32_t n);

bool dmd_nodefilter_passes(dmd_nodefilter_t *filter, dmd_nodekeys_t *keys, uint32_t node);

/* True if a block passes all n filters. */
static inline bool dmd_nodefilters_pass(dmd_nodefilter_t *filters, uint32_t n, dmd_nodekeys_t *keys,
                                        uint32_t node) {
  bool all = true;
  for (uint32_t i = 0; i < n && all; i++)
    all = dmd_nodefilter_passes(&filters[i], keys, node);
  return all;
}

/* ---- Groups by type. ----
 *
 * Turns the blocks of a heap graph into groups of a profile, separate by type, so
 * that any analysis of profiles also works by type.
 *
 * Types and byte counts of blocks are those of the census (nesting.h). Cost: a walk over the
 * blocks, sorted by type: 8 bytes a block. */

/* Adds all blocks to a profile that has only such groups. Each block counts `sign`: 1, or -1 for
 * the baseline of a difference. types: receives the types of these groups. The caller calls
 * dmd_groups_finish. */
void dmd_typedgroups_add(dmd_profile_t *profile, dmd_grouptypes_t *types, dmd_nodekeys_t *keys,
                         int sign);

#endif
