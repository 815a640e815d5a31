/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nodefilter.h: filters blocks of a heap graph by their attributes.
 *
 * A filter is KEY=TEXT, with a key of nodekeys.h: a block passes if the name of its value contains
 * the text. TEXT alone searches the lines of the allocation stack. A leading '!' negates the
 * filter. Each value is searched once.
 */
#ifndef DMD_ANALYSE_GRAPH_NODEFILTER_H
#define DMD_ANALYSE_GRAPH_NODEFILTER_H

#include "analyse/graph/nodekeys.h"

typedef struct dmd_nodefilter {
  const char *given;
  const char *text; /* the text to find */
  dmd_nodekey_t key;
  bool negated;
  bool found;        /* at least one block's value contains it; else it may be misspelt */
  dmd_pool_t judged; /* by value: see nodefilter.c */
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

#endif
