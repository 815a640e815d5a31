/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nodefilter.h: blocks of a heap graph picked by what they are.
 *
 * A filter is KEY=TEXT, one of the keys of nodekeys.h: a block passes if the name of its value
 * contains the text. TEXT alone is looked for in the lines of its allocation stack. With '!' in
 * front those pass that do not contain it. Each value is searched once.
 */
#ifndef DMD_GRAPH_NODEFILTER_H
#define DMD_GRAPH_NODEFILTER_H

#include "graph/nodekeys.h"

typedef struct dmd_nodefilter {
  const char *given;
  const char *text; /* what is looked for */
  dmd_nodekey_t key;
  bool negated;
  bool found;        /* some block's value contains it; else it is perhaps misspelt */
  dmd_pool_t judged; /* by value: see nodefilter.c */
} dmd_nodefilter_t;

/* Borrows the text, which outlives the filter. */
void dmd_nodefilter_init(dmd_nodefilter_t *filter, const dmd_env_t *env, const char *given);
void dmd_nodefilter_destroy(dmd_nodefilter_t *filter);

/* Before the blocks of another graph, or other keys: values are numbered differently there. */
void dmd_nodefilters_forget(dmd_nodefilter_t *filters, uint32_t n);

bool dmd_nodefilter_passes(dmd_nodefilter_t *filter, dmd_nodekeys_t *keys, uint32_t node);

/* Whether a block passes all of n filters. */
static inline bool dmd_nodefilters_pass(dmd_nodefilter_t *filters, uint32_t n, dmd_nodekeys_t *keys,
                                        uint32_t node) {
  bool all = true;
  for (uint32_t i = 0; i < n && all; i++)
    all = dmd_nodefilter_passes(&filters[i], keys, node);
  return all;
}

#endif
