/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagegraph.h: a heap graph in a page, and the data computed from it.
 *
 * The graph and its types belong to the caller of dmd_session_add_graph and must outlive the page.
 * Expensive data is computed when an answer first needs it, and kept: the dominator tree for good,
 * the census and the rows of the tree until the query changes.
 *
 * Keys of a query: graph, the number of a graph; or of, the number of the file that the graph
 * belongs to (a graph without a profile is a file itself). Default: the graph of the first file or,
 * without that, the first graph. filter: filters as in dmdv (analyse/graph/nodekeys.h), one per
 * line.
 */
#ifndef DMD_SHOW_PAGE_PAGEGRAPH_H
#define DMD_SHOW_PAGE_PAGEGRAPH_H

#include "analyse/graph/census.h"
#include "analyse/graph/owners.h"
#include "analyse/graph/retained.h"
#include "analyse/waste/waste.h"
#include "show/page/session.h"
#include "show/text/text_graph.h"

/* Hint for queries that need a graph. */
#define DMD_SESSION_GRAPH_HINT "run the program with --graph=yes, and open the file .graph.gz, too"

/* `beside` of a graph that belongs to no profile of the page. */
#define DMD_SESSION_ALONE UINT32_MAX

typedef struct dmd_session_graph {
  dmd_strbuf_t name;
  uint32_t number;
  uint32_t beside; /* number of its profile's file, or DMD_SESSION_ALONE */
  dmd_heapgraph_t *heap;
  dmd_typing_t *typing;
  const dmd_variable_namer_t *namer; /* names its variables; may be NULL */
  dmd_session_document_t claims;     /* of a graph from a bundle; not checked */
  /* Data computed so far: */
  bool has_kinds, has_retained, has_records, has_owners, has_hint, has_census, has_rows, has_waste;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
  dmd_retained_t retained;
  dmd_records_t records; /* of the graph's own profile */
  dmd_owners_t owners;
  dmd_owners_view_t owners_view;
  dmd_owner_hint_t hint;
  dmd_census_t census;
  dmd_strbuf_t census_of; /* the keys of the query that it was computed for */
  int64_t heap_szB;
  dmd_retainedrows_t rows;
  dmd_strbuf_t rows_of;
  dmd_waste_t waste;
  dmd_waste_options_t waste_options;
} dmd_session_graph_t;

/* Adds a graph, which becomes that of file `beside` unless that is DMD_SESSION_ALONE. */
void dmd_session_add_graph(dmd_session_t *page, const char *name, uint32_t beside,
                           dmd_heapgraph_t *heap, dmd_typing_t *typing);

/* The number of graphs, and the i-th, from 0. */
static inline uint32_t dmd_session_n_graphs(const dmd_session_t *page) {
  return page->graphs.last;
}

static inline dmd_session_graph_t *dmd_session_graph(const dmd_session_t *page, uint32_t i) {
  return *DMD_POOL_AT(&page->graphs, dmd_session_graph_t *, i + 1);
}

/* The graph of a file, or NULL. Graphs without a profile are files after the profiles. */
dmd_session_graph_t *dmd_session_graph_beside(const dmd_session_t *page, uint64_t file);

/* Forgets all graphs; only for destroying the page. */
void dmd_session_forget_graphs(dmd_session_t *page);

/* The graph that a query is about, with its kinds and keys; NULL, with the reason recorded in the
 * query, if it has no graph. */
dmd_session_graph_t *dmd_session_graph_of(const dmd_session_t *page, dmd_query_t *query);

/* The graph that it is compared with. The key old is a number like "of", or like "graph" if the
 * query has that. Without old, *old is NULL. False, with the reason recorded, if that graph does
 * not exist. */
bool dmd_session_old_graph_of(const dmd_session_t *page, dmd_query_t *query,
                              dmd_session_graph_t **old);

/* These compute their result when first called. */
dmd_nodekeys_t *dmd_session_graph_keys(dmd_session_graph_t *graph);
const dmd_retained_t *dmd_session_retained(dmd_session_graph_t *graph);
const dmd_records_t *dmd_session_graph_records(dmd_session_graph_t *graph);
const dmd_owners_t *dmd_session_owners(dmd_session_graph_t *graph);
/* Findings of at least so many bytes; kept until a call with another size. */
const dmd_waste_t *dmd_session_waste(dmd_session_graph_t *graph, uint64_t least_szB);

/* A view of a profile does not search larger graphs for owners or waste, because that takes too
 * long. ask=owners and ask=waste do. */
enum { DMD_PAGE_MAX_ADVISED = 300000 };

/* The owners of the unreported blocks of a file's records, found in its graph. NULL if there is no
 * graph, it is too large, or its stacks are cut to another number of frames. */
const dmd_owner_hint_t *dmd_session_owner_hint(const dmd_session_t *page, uint32_t file,
                                               uint32_t max_frames);

/* ---- Filters of a query. ---- */

typedef struct dmd_session_filters {
  const dmd_env_t *env;
  char *text; /* a copy, with a NUL after each */
  dmd_nodefilter_t *filters;
  uint32_t n;
} dmd_session_filters_t;

void dmd_session_filters_init(dmd_session_filters_t *filters, const dmd_env_t *env,
                              const dmd_query_t *query);
void dmd_session_filters_destroy(dmd_session_filters_t *filters);

/* For each node, whether it passes; NULL if there are no filters. The caller frees it. */
bool *dmd_session_picks(dmd_session_graph_t *graph, dmd_session_filters_t *filters);

/* Selects the nodes that the value of a key names (analyse/graph/select.h) and that pass the
 * query's filters. False, with the reason recorded in the query, if no node does. Without key and
 * filters: sets *all, and the set is empty. Initialises the set; destroy it either way. */
bool dmd_session_choose(dmd_bitset_t *nodes, bool *all, dmd_session_graph_t *graph,
                        dmd_query_t *query, const char *key);

#endif
