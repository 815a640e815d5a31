/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first pass decodes only the small parts. For blocks and edges it counts the elements of one
 * column; the second pass checks that all other columns are as long. So the size of the graph is
 * bounded by the size of the file.
 */
#include "files/graph/graphreader.h"

#include "base/limits.h"
#include "files/graph/graphreaderstate.h"
#include "files/graph/graphwriter.h"
#include "model/graph/nesting.h"

bool dmd_graph_check_id(dmd_graphreaderstate_t *l, const char *what, uint64_t id, uint64_t n) {
  return id <= n || dmd_graph_reject(l, "%s %llu does not exist: there are %llu", what,
                                     dmd_graph_llu(id), dmd_graph_llu(n));
}

/* ---- The first pass. ---- */

/* The order of the kinds, and their names in messages. */
static const struct {
  int stage;
  const char *name;
} kinds[N_PARTS] = {
    [PART_HEADER] = {1, "header"},
    [PART_OBJECTS] = {2, "object"},
    [PART_ROOTS] = {3, "root"},
    [PART_EDGES] = {4, "edges"},
    [PART_BLOCKS] = {5, "blocks"},
    [PART_RESIDENTS] = {6, "resident pages"},
    [PART_CODES] = {7, "code"},
    [PART_STACKS] = {7, "stack"},
    [PART_NAMES] = {8, "name"},
    [PART_TAGS] = {8, "tag"},
    [PART_REPORT_SETS] = {8, "report set"},
    [PART_CLAIM_FUNCTIONS] = {9, "function of claims"},
    [PART_CLAIMS] = {10, "claim"},
    [PART_END] = {11, "end"},
};
enum { LAST_STAGE = 11 };

/* Counts the elements of a part; *found: one bit for each field that is not empty. */
static bool count_elements(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part,
                           unsigned *found) {
  dmd_graphblocks_t blocks;
  dmd_graphedges_t edges;
  if (!dmd_graphblocks_read(part->blocks, &blocks) || !dmd_graphedges_read(part->edges, &edges))
    return dmd_graph_damaged(l);
  const uint64_t n[N_PARTS] = {[PART_HEADER] = part->header.at != NULL,
                               [PART_OBJECTS] = part->objects.n,
                               [PART_ROOTS] = part->roots.n,
                               [PART_BLOCKS] = blocks.addr.n,
                               [PART_EDGES] = edges.target.n,
                               [PART_CODES] = part->codes.n,
                               [PART_STACKS] = part->stacks.n,
                               [PART_NAMES] = part->names.n,
                               [PART_TAGS] = part->tags.n,
                               [PART_REPORT_SETS] = part->report_sets.n,
                               [PART_END] = part->end.at != NULL,
                               [PART_CLAIM_FUNCTIONS] = part->claim_functions.n,
                               [PART_CLAIMS] = part->claims.n,
                               [PART_RESIDENTS] = part->residents.n};
  *found = (unsigned)(part->blocks.at != NULL) << PART_BLOCKS | (unsigned)(part->edges.at != NULL)
                                                                    << PART_EDGES;
  for (unsigned kind = 1; kind < N_PARTS; kind++) {
    l->n[kind] += n[kind];
    *found |= (unsigned)(n[kind] > 0) << kind;
  }
  l->n_interiors += edges.interior.n;
  l->n_numbers += edges.number_edge.n;
  l->n_first_words += blocks.first_word_block.n;
  l->n_contents += blocks.contents_block.n;
  return true;
}

/* Edges are in a part with their blocks, or before all blocks. */
static int stage_of(unsigned kind, bool has_blocks) {
  return kinds[kind == PART_EDGES && has_blocks ? PART_BLOCKS : kind].stage;
}

static bool check_order(dmd_graphreaderstate_t *l, unsigned found) {
  int stage = l->stage;
  for (unsigned kind = 1; kind < N_PARTS; kind++) {
    if (!(found & 1u << kind))
      continue;
    int its = stage_of(kind, found & 1u << PART_BLOCKS);
    if (l->stage == 0 && !(found & 1u << PART_HEADER))
      return dmd_graph_reject(l, "a part with %s comes before the header", kinds[kind].name);
    bool is_again = its == l->stage && its == kinds[PART_HEADER].stage;
    if (its < l->stage || is_again)
      return dmd_graph_reject(l, "a part with %s comes too late", kinds[kind].name);
    stage = its > stage ? its : stage;
  }
  l->stage = stage;
  return true;
}

static bool look_at_header(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_graphheader_t header;
  if (part->header.at == NULL)
    return true;
  return dmd_graphheader_read(part->header, &header) ? dmd_graph_check_header(l, &header)
                                                     : dmd_graph_damaged(l);
}

static bool look_at_part(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  unsigned found = 0;
  if (!count_elements(l, part, &found) || !check_order(l, found) || !look_at_header(l, part) ||
      !dmd_graph_look_at_objects(l, part) || !dmd_graph_count_roots(l, part))
    return false;
  return part->end.at == NULL || dmd_graphend_read(part->end, &l->end) || dmd_graph_damaged(l);
}

static bool check_count(dmd_graphreaderstate_t *l, const char *what, uint64_t n, uint64_t said) {
  return n == said || dmd_graph_reject(l, "it should end with %llu %s, and has %llu",
                                       dmd_graph_llu(said), what, dmd_graph_llu(n));
}

static bool check_counts(dmd_graphreaderstate_t *l) {
  if (l->stage != LAST_STAGE)
    return dmd_graph_reject(l, "the file is cut off: its last part is missing");
  if (!check_count(l, "roots", l->n[PART_ROOTS], l->end.roots) ||
      !check_count(l, "blocks", l->n[PART_BLOCKS], l->end.blocks) ||
      !check_count(l, "edges", l->n[PART_EDGES], l->end.edges))
    return false;
  if (l->n_data_parts + l->n[PART_BLOCKS] >= UINT32_MAX ||
      l->n_data_parts + l->n[PART_EDGES] >= UINT32_MAX)
    return dmd_fail(l->fail, "more than 2^32 blocks or pointers");
  if (l->n[PART_TAGS] > DMD_MAX_TAGS)
    return dmd_fail(l->fail, "more than %d tags", DMD_MAX_TAGS);
  return true;
}

/* The memory for the graph, as far as it grows with the file. */
static uint64_t needed_szB(const dmd_graphreaderstate_t *l) {
  const dmd_graph_t *graph = NULL;
  uint64_t n_nodes = 1 + l->n_data_parts + l->n[PART_BLOCKS];
  return n_nodes * (sizeof *graph->first + sizeof *graph->size) +
         (l->n_data_parts + l->n[PART_EDGES]) * (sizeof *graph->target + sizeof *graph->offset) +
         l->n_data_parts * sizeof(dmd_graph_root_t) +
         l->n[PART_BLOCKS] * sizeof(dmd_graph_block_t) +
         l->n[PART_CLAIMS] * sizeof(dmd_graph_claim_t) +
         l->n[PART_RESIDENTS] * sizeof(dmd_graph_resident_t) +
         l->n_interiors * sizeof(dmd_graph_interior_t) + l->n_numbers * sizeof(dmd_graph_number_t) +
         l->n_first_words * sizeof(dmd_graph_first_word_t) +
         l->n_contents * sizeof(dmd_graph_contents_t);
}

static bool check_memory(dmd_graphreaderstate_t *l) {
  const double mb = 1024 * 1024;
  uint64_t needed = needed_szB(l), available = l->parts.source->memory_szB;
  return available == 0 || needed <= available ||
         dmd_fail(l->fail,
                  "%llu blocks with %llu pointers need at least %.0f MB of memory, and %.0f MB are "
                  "available",
                  dmd_graph_llu(l->n[PART_BLOCKS]), dmd_graph_llu(l->n[PART_EDGES]),
                  (double)needed / mb, (double)available / mb);
}

/* ---- The second pass. ---- */

static bool load_header(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_graphheader_t header;
  if (part->header.at == NULL)
    return true;
  return dmd_graphheader_read(part->header, &header) ? dmd_graph_load_run(l, &header)
                                                     : dmd_graph_damaged(l);
}

static bool load_part(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  if (!load_header(l, part) || !dmd_graph_load_objects(l, part) || !dmd_graph_load_roots(l, part))
    return false;
  if (part->blocks.at != NULL || part->end.at != NULL)
    dmd_graph_end_roots(l);
  if ((part->blocks.at != NULL || part->edges.at != NULL) && !dmd_graph_load_nodes(l, part))
    return false;
  return dmd_graph_load_residents(l, part) && dmd_graph_load_names(l, part);
}

/* ---- Both passes. ---- */

/* Until the end of the file, or the part that says that it is the last. */
static bool for_each_part(dmd_graphreaderstate_t *l,
                          bool (*do_it)(dmd_graphreaderstate_t *, const dmd_graphpart_t *)) {
  bool end = false, good = true;
  dmd_graphpart_t part = {0};
  while (good && part.end.at == NULL && (good = dmd_graphparts_next(&l->parts, &end, l->fail)) &&
         !end)
    good = dmd_graphpart_read(l->parts.bytes, &part) ? do_it(l, &part) : dmd_graph_damaged(l);
  return good && (end || dmd_graphparts_end(&l->parts, l->fail));
}

/* Rejects other kinds of files that can be recognised by their first bytes. */
static bool check_kind(dmd_graphreaderstate_t *l) {
  enum { LOOKED_AT = 32 };
  const char *bytes;
  size_t n, i = 0;
  if (!dmd_graphparts_peek(&l->parts, &bytes, &n, l->fail))
    return false;
  if (dmd_graphwriter_is(bytes, n))
    return true;
  if (dmd_source_is_history(bytes, n))
    return dmd_fail(l->fail, DMD_SOURCE_IS_HISTORY);
  n = n < LOOKED_AT ? n : LOOKED_AT;
  while (i < n && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
    i++;
  if (i < n && bytes[i] == '{')
    return dmd_fail(l->fail, "is not a heap graph but a profile, or a file of memory reports: use "
                             "dmdv print or dmdv tree");
  return dmd_fail(l->fail, "is not a heap graph");
}

static bool check_wanted(dmd_graphreaderstate_t *l) {
  l->preview->n_nodes = 1 + l->n_data_parts + l->n[PART_BLOCKS];
  l->preview->n_edges = l->n_data_parts + l->n[PART_EDGES];
  l->preview->n_claims = l->n[PART_CLAIMS];
  return l->options->is_wanted == NULL || l->options->is_wanted(l->options->ctx, l->preview) ||
         dmd_fail(l->fail, "is not wanted");
}

static bool count(dmd_graphreaderstate_t *l) {
  return check_kind(l) && for_each_part(l, look_at_part) && check_counts(l) && check_wanted(l) &&
         check_memory(l);
}

/* Rewinds for the second pass. */
static bool start_again(dmd_graphreaderstate_t *l) {
  const dmd_source_t *source = l->parts.source;
  dmd_graphparts_destroy(&l->parts);
  dmd_graphparts_init(&l->parts, l->env, source);
  return source->rewind(source->ctx, l->fail);
}

static bool is_as_counted(const dmd_graphreaderstate_t *l) {
  return l->graph->graph.n_ended == l->graph->graph.n_nodes &&
         l->graph->stacks.last == l->n[PART_STACKS] && l->tags.last == l->n[PART_TAGS] &&
         l->report_sets.last == l->n[PART_REPORT_SETS] &&
         l->graph->residents.last == l->n[PART_RESIDENTS] &&
         l->graph->claims.last == l->n[PART_CLAIMS];
}

static bool fill(dmd_graphreaderstate_t *l) {
  dmd_heapgraph_init(l->graph, l->env, (uint32_t)l->n_data_parts, (uint32_t)l->n[PART_BLOCKS],
                     (uint32_t)l->n[PART_EDGES]);
  l->graph->profile.frame_view = l->options->frame_view;
  bool good = for_each_part(l, load_part);
  if (good && !is_as_counted(l))
    good = dmd_fail(l->fail, "changed while it was read");
  good = good && dmd_graph_check_interiors(l);
  if (!good) {
    dmd_heapgraph_destroy(l->graph);
    return false;
  }
  dmd_graph_translate_blocks(l);
  dmd_nesting_join_reports(l->graph);
  return true;
}

bool dmd_load_graph(dmd_heapgraph_t *graph, const dmd_env_t *env, const dmd_source_t *source,
                    const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  dmd_graph_preview_t preview = {0};
  dmd_graphreaderstate_t l = {
      .env = env, .graph = graph, .options = options, .preview = &preview, .fail = fail};
  dmd_graphparts_init(&l.parts, env, source);
  dmd_pool_init(&l.objects, env, "dmd.load.graph", sizeof(dmd_graph_object_t));
  dmd_pool_init(&l.first_root, env, "dmd.load.graph", sizeof(uint32_t));
  dmd_pool_init(&l.code_kinds, env, "dmd.load.graph", sizeof(dmd_code_kind_t));
  dmd_pool_init(&l.names, env, "dmd.load.graph", sizeof(uint32_t));
  dmd_pool_init(&l.tags, env, "dmd.load.graph", sizeof(uint32_t));
  dmd_pool_init(&l.report_sets, env, "dmd.load.graph", sizeof(uint32_t));
  dmd_pool_init(&l.claim_functions, env, "dmd.load.graph", sizeof(uint32_t));
  bool good = count(&l) && start_again(&l) && fill(&l);
  dmd_graphparts_destroy(&l.parts);
  dmd_pool_destroy(&l.claim_functions);
  dmd_pool_destroy(&l.report_sets);
  dmd_pool_destroy(&l.tags);
  dmd_pool_destroy(&l.names);
  dmd_pool_destroy(&l.code_kinds);
  dmd_pool_destroy(&l.first_root);
  dmd_pool_destroy(&l.objects);
  return good;
}
