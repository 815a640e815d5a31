/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagegraph.h: a heap graph that a page has, and what was computed of it.
 *
 * The graph and its types are somebody else's, who added them with dmd_page_add_graph; they stay
 * until the page is destroyed. What takes long is computed when an answer needs it, and kept: the
 * dominator tree for good, the last census, and the last rows of the tree.
 *
 * Keys of a query: graph, the graph's number, or of, a file's, beside which the graph lies, or that
 * of a graph which lies beside none (neither: that of the first file, and where there is none the
 * first graph); filter, a filter of dmdv's (graph/nodefilter.h), or several, a line each.
 */
#ifndef DMD_PAGE_PAGEGRAPH_H
#define DMD_PAGE_PAGEGRAPH_H

#include "graph/census.h"
#include "graph/owners.h"
#include "graph/retainedrows.h"
#include "page/page.h"
#include "text/text_owners.h"

/* What somebody does who needs a graph, and has none. */
#define DMD_PAGE_GRAPH_HINT "run the program with --graph=yes, and open the file .graph.gz, too"

/* Of a graph that belongs to no profile of the page. */
#define DMD_PAGE_ALONE UINT32_MAX

typedef struct dmd_page_graph {
  dmd_strbuf_t name;
  uint32_t number;
  uint32_t beside; /* the file of its profile, by number; DMD_PAGE_ALONE */
  dmd_heapgraph_t *heap;
  dmd_typing_t *typing;
  const dmd_variable_namer_t *namer; /* who knows its variables; NULL: nobody */
  /* What was asked for so far: */
  bool has_kinds, has_retained, has_records, has_owners, has_advice, has_census, has_rows;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
  dmd_retained_t retained;
  dmd_records_t records; /* of the graph's own profile */
  dmd_owners_t owners;
  dmd_owners_view_t owners_view;
  dmd_owner_advice_t advice;
  dmd_census_t census;
  dmd_strbuf_t census_of; /* the query's part that decides it */
  int64_t heap_szB;
  dmd_retainedrows_t rows;
  dmd_strbuf_t rows_of;
} dmd_page_graph_t;

/* Adds a graph, which becomes the one beside a file unless that is DMD_PAGE_ALONE. */
void dmd_page_add_graph(dmd_page_t *page, const char *name, uint32_t beside, dmd_heapgraph_t *heap,
                        dmd_typing_t *typing);

/* How many there are, and the i-th, from 0. */
static inline uint32_t dmd_page_n_graphs(const dmd_page_t *page) {
  return page->graphs.last;
}

static inline dmd_page_graph_t *dmd_page_graph(const dmd_page_t *page, uint32_t i) {
  return *DMD_POOL_AT(&page->graphs, dmd_page_graph_t *, i + 1);
}

/* The graph beside a file; NULL: there is none. Graphs of no profile are files behind the profiles.
 */
dmd_page_graph_t *dmd_page_graph_beside(const dmd_page_t *page, uint64_t file);

/* Forgets all graphs; only when the page goes. */
void dmd_page_forget_graphs(dmd_page_t *page);

/* The graph that a query is about, with its kinds and keys; NULL, with the reason noted in the
 * query, where there is none. */
dmd_page_graph_t *dmd_page_graph_of(const dmd_page_t *page, dmd_query_t *query);

/* The same of the graph that it is compared with: the key old is a number as of, or as graph where
 * the query has that. *old is NULL without it. False, with the reason noted, where there is none.
 */
bool dmd_page_old_graph_of(const dmd_page_t *page, dmd_query_t *query, dmd_page_graph_t **old);

/* Computes these, unless they are there. */
dmd_nodekeys_t *dmd_page_graph_keys(dmd_page_graph_t *graph);
const dmd_retained_t *dmd_page_retained(dmd_page_graph_t *graph);
const dmd_records_t *dmd_page_graph_records(dmd_page_graph_t *graph);
const dmd_owners_t *dmd_page_owners(dmd_page_graph_t *graph);

/* Graphs of more nodes are not looked through for a view of a profile: that would keep people
 * waiting. ask=owners does it. */
enum { DMD_PAGE_MAX_ADVISED = 300000 };

/* Who owns the unreported blocks of the records of a file, from the graph beside it; NULL where
 * there is none, it is too large, or its stacks are not cut to so many frames. */
const dmd_owner_advice_t *dmd_page_owner_advice(const dmd_page_t *page, uint32_t file,
                                                uint32_t max_frames);

/* ---- Filters of a query. ---- */

typedef struct dmd_page_filters {
  const dmd_env_t *env;
  char *text; /* a copy, with a NUL behind each */
  dmd_nodefilter_t *filters;
  uint32_t n;
} dmd_page_filters_t;

void dmd_page_filters_init(dmd_page_filters_t *filters, const dmd_env_t *env,
                           const dmd_query_t *query);
void dmd_page_filters_destroy(dmd_page_filters_t *filters);

/* By node, the blocks that pass; NULL: there are no filters. The caller frees it. */
bool *dmd_page_picks(dmd_page_graph_t *graph, dmd_page_filters_t *filters);

/* The nodes that the value of a key asks for (graph/select.h), and that pass the query's filters.
 * The set, initialised, is to be destroyed either way. False, with the reason noted in the query,
 * where there are none. Without key and filters: *all, and no nodes. */
bool dmd_page_choose(dmd_bitset_t *nodes, bool *all, dmd_page_graph_t *graph, dmd_query_t *query,
                     const char *key);

#endif
