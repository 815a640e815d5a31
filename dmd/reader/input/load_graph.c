/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first reading decodes only the small parts: of blocks and edges it counts the elements of one
 * column, which the second reading compares with all others. So a graph has room for no more than
 * there are bytes in the file for.
 */
#include "base/limits.h"
#include "graph/graphfile.h"
#include "graph/nesting.h"
#include "reader/host/host.h"
#include "reader/host/memory.h"
#include "reader/input/graphloader.h"

#include <inttypes.h>

/* ---- Messages. ---- */

static void *alloc(void *ctx, size_t szB) {
  (void)ctx;
  return dmd_env_alloc(&dmdv_env, "dmdv.protobuf", szB > 0 ? szB : 1);
}

static void release(void *ctx, void *p) {
  (void)ctx;
  dmd_env_free(&dmdv_env, p);
}

static ProtobufCAllocator allocator = {.alloc = alloc, .free = release};

typedef bool (*part_fn)(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);

/* Decodes the part at hand and does this with it. */
static bool with_part(dmdv_graphloader_t *l, part_fn do_it) {
  Dmd__Graph__Part *part = dmd__graph__part__unpack(&allocator, l->parts.n, l->parts.bytes);
  if (part == NULL)
    return dmdv_graph_reject(l, "a part is damaged");
  bool good = do_it(l, part);
  dmd__graph__part__free_unpacked(part, &allocator);
  return good;
}

bool dmdv_graph_check_id(dmdv_graphloader_t *l, const char *what, uint64_t id, uint64_t n) {
  return id <= n ||
         dmdv_graph_reject(l, "%s %" PRIu64 " is named, of which there are %" PRIu64, what, id, n);
}

/* ---- The first reading. ---- */

/* What comes after what, and how messages call it. */
static const struct {
  int stage;
  const char *name;
} kinds[N_PARTS] = {
    [PART_HEADER] = {1, "header"}, [PART_OBJECTS] = {2, "object"},
    [PART_ROOTS] = {3, "root"},    [PART_EDGES] = {4, "edges"},
    [PART_BLOCKS] = {5, "blocks"}, [PART_CODES] = {6, "code"},
    [PART_STACKS] = {6, "stack"},  [PART_NAMES] = {7, "name"},
    [PART_TAGS] = {7, "tag"},      [PART_REPORT_SETS] = {7, "report set"},
    [PART_END] = {8, "end"},
};
enum { LAST_STAGE = 8 };

/* Numbers of columns whose elements are counted. */
enum { BLOCKS_ADDRESS = 2, BLOCKS_FIRST_WORD = 11, EDGES_TARGET = 3, EDGES_INTERIOR = 4 };

/* Adds up the elements of two columns of a message. */
static bool count_elements(const dmdv_field_t *message, uint64_t column, uint64_t *n,
                           uint64_t other_column, uint64_t *n_other) {
  dmdv_fields_t fields = dmdv_fields_of(message->bytes, message->n);
  dmdv_field_t field;
  while (dmdv_fields_next(&fields, &field)) {
    if (field.number == column)
      *n += dmdv_field_count(&field);
    else if (field.number == other_column)
      *n_other += dmdv_field_count(&field);
  }
  return !fields.failed;
}

static bool count_field(dmdv_graphloader_t *l, const dmdv_field_t *field) {
  bool good = field->is_bytes;
  if (good && field->number == PART_BLOCKS)
    good = count_elements(field, BLOCKS_ADDRESS, &l->n[PART_BLOCKS], BLOCKS_FIRST_WORD,
                          &l->n_first_words);
  else if (good && field->number == PART_EDGES)
    good = count_elements(field, EDGES_TARGET, &l->n[PART_EDGES], EDGES_INTERIOR, &l->n_interiors);
  else if (good)
    l->n[field->number]++;
  return good || dmdv_graph_reject(l, "a part is damaged");
}

/* Edges stand with their blocks, or before all blocks. */
static int stage_of(unsigned kind, bool has_blocks) {
  return kinds[kind == PART_EDGES && has_blocks ? PART_BLOCKS : kind].stage;
}

static bool check_order(dmdv_graphloader_t *l, unsigned found) {
  int stage = l->stage;
  for (unsigned kind = 1; kind < N_PARTS; kind++) {
    if (!(found & 1u << kind))
      continue;
    int its = stage_of(kind, found & 1u << PART_BLOCKS);
    if (l->stage == 0 && !(found & 1u << PART_HEADER))
      return dmdv_graph_reject(l, "a part with %s comes before the header", kinds[kind].name);
    bool is_again = its == l->stage && (its == kinds[PART_HEADER].stage || its == LAST_STAGE);
    if (its < l->stage || is_again)
      return dmdv_graph_reject(l, "a part with %s comes too late", kinds[kind].name);
    stage = its > stage ? its : stage;
  }
  l->stage = stage;
  return true;
}

static bool look_at_part(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  if (part->header != NULL && !dmdv_graph_check_header(l, part->header))
    return false;
  if (!dmdv_graph_look_at_objects(l, part) || !dmdv_graph_count_roots(l, part))
    return false;
  if (part->end != NULL) {
    l->end.roots = part->end->roots;
    l->end.blocks = part->end->blocks;
    l->end.edges = part->end->edges;
  }
  return true;
}

static bool count_part(dmdv_graphloader_t *l) {
  const unsigned decoded =
      1u << PART_HEADER | 1u << PART_OBJECTS | 1u << PART_ROOTS | 1u << PART_END;
  dmdv_fields_t fields = dmdv_fields_of(l->parts.bytes, l->parts.n);
  dmdv_field_t field;
  unsigned found = 0;
  while (dmdv_fields_next(&fields, &field)) {
    if (field.number >= N_PARTS)
      continue;
    if (!count_field(l, &field))
      return false;
    found |= 1u << field.number;
  }
  if (fields.failed)
    return dmdv_graph_reject(l, "a part is damaged");
  return check_order(l, found) && (!(found & decoded) || with_part(l, look_at_part));
}

static bool check_count(dmdv_graphloader_t *l, const char *what, uint64_t n, uint64_t said) {
  return n == said ||
         dmdv_graph_reject(l, "it should end with %" PRIu64 " %s, and has %" PRIu64, said, what, n);
}

static bool check_counts(dmdv_graphloader_t *l) {
  if (l->stage != LAST_STAGE)
    return dmdv_graph_reject(l, "the file is cut off: its last part is missing");
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

/* What the graph takes, so far as it grows with the file. */
static uint64_t needed_szB(const dmdv_graphloader_t *l) {
  const dmd_graph_t *graph = NULL;
  uint64_t n_nodes = 1 + l->n_data_parts + l->n[PART_BLOCKS];
  return n_nodes * (sizeof *graph->first + sizeof *graph->size) +
         (l->n_data_parts + l->n[PART_EDGES]) * (sizeof *graph->target + sizeof *graph->offset) +
         l->n_data_parts * sizeof(dmd_graph_root_t) +
         l->n[PART_BLOCKS] * sizeof(dmd_graph_block_t) +
         l->n_interiors * sizeof(dmd_graph_interior_t) +
         l->n_first_words * sizeof(dmd_graph_first_word_t);
}

static bool check_memory(dmdv_graphloader_t *l) {
  const double mb = 1024 * 1024;
  uint64_t needed = needed_szB(l), available = dmdv_memory_available();
  return needed <= available ||
         dmd_fail(l->fail,
                  "%" PRIu64 " blocks with %" PRIu64
                  " pointers take at least %.0f MB of memory, and there are %.0f MB",
                  l->n[PART_BLOCKS], l->n[PART_EDGES], (double)needed / mb, (double)available / mb);
}

/* ---- The second. ---- */

static bool load_part(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  if (part->header != NULL && !dmdv_graph_load_run(l, part->header))
    return false;
  if (!dmdv_graph_load_objects(l, part) || !dmdv_graph_load_roots(l, part))
    return false;
  if (part->blocks != NULL || part->end != NULL)
    dmdv_graph_end_roots(l);
  if ((part->blocks != NULL || part->edges != NULL) && !dmdv_graph_load_nodes(l, part))
    return false;
  return dmdv_graph_load_names(l, part);
}

static bool decode_part(dmdv_graphloader_t *l) {
  return with_part(l, load_part);
}

/* ---- Both. ---- */

static bool for_each_part(dmdv_graphloader_t *l, dmdv_input_t *input, const char *verb,
                          bool (*do_it)(dmdv_graphloader_t *)) {
  bool end = false, good = true;
  dmdv_graphparts_destroy(&l->parts);
  dmdv_graphparts_init(&l->parts, input, verb);
  while (good && (good = dmdv_graphparts_next(&l->parts, &end, l->fail)) && !end)
    good = do_it(l);
  dmdv_progress_end(&l->parts.progress);
  return good;
}

/* Says what it is instead, as far as its first bytes tell. */
static bool check_kind(dmdv_input_t *input, dmd_fail_t *fail) {
  enum { LOOKED_AT = 32 };
  const char *bytes;
  size_t n, i = 0;
  if (!dmdv_input_peek(input, &bytes, &n, fail))
    return false;
  if (dmd_graphfile_is(bytes, n))
    return true;
  n = n < LOOKED_AT ? n : LOOKED_AT;
  while (i < n && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
    i++;
  if (i < n && bytes[i] == '{')
    return dmd_fail(fail, "is not a heap graph but a profile, or a file of memory reports: dmdv "
                          "print and dmdv tree read these");
  return dmd_fail(fail, "is not a heap graph");
}

static bool count(dmdv_graphloader_t *l, dmdv_input_t *input) {
  return check_kind(input, l->fail) && for_each_part(l, input, "counted", count_part) &&
         check_counts(l) && check_memory(l) && dmdv_input_rewind(input, l->fail);
}

static bool is_as_counted(const dmdv_graphloader_t *l) {
  return l->graph->graph.n_ended == l->graph->graph.n_nodes &&
         l->graph->stacks.last == l->n[PART_STACKS] && l->tags.last == l->n[PART_TAGS] &&
         l->report_sets.last == l->n[PART_REPORT_SETS];
}

static bool fill(dmdv_graphloader_t *l, dmdv_input_t *input) {
  dmd_heapgraph_init(l->graph, &dmdv_env, (uint32_t)l->n_data_parts, (uint32_t)l->n[PART_BLOCKS],
                     (uint32_t)l->n[PART_EDGES]);
  l->graph->profile.frame_view = l->options->frame_view;
  bool good = for_each_part(l, input, "read", decode_part);
  if (good && !is_as_counted(l))
    good = dmd_fail(l->fail, "changed while it was read");
  good = good && dmdv_graph_check_interiors(l);
  if (!good) {
    dmd_heapgraph_destroy(l->graph);
    return false;
  }
  dmdv_graph_translate_blocks(l);
  dmd_nesting_join_reports(l->graph);
  return true;
}

bool dmdv_load_graph_input(dmd_heapgraph_t *graph, dmdv_input_t *input,
                           const dmdv_load_graph_options_t *options, dmd_fail_t *fail) {
  dmdv_graphloader_t l = {.graph = graph, .options = options, .fail = fail};
  dmd_pool_init(&l.objects, &dmdv_env, "dmdv.graph", sizeof(dmd_graph_object_t));
  dmd_pool_init(&l.first_root, &dmdv_env, "dmdv.graph", sizeof(uint32_t));
  dmd_pool_init(&l.names, &dmdv_env, "dmdv.graph", sizeof(uint32_t));
  dmd_pool_init(&l.tags, &dmdv_env, "dmdv.graph", sizeof(uint32_t));
  dmd_pool_init(&l.report_sets, &dmdv_env, "dmdv.graph", sizeof(uint32_t));
  bool good = count(&l, input) && fill(&l, input);
  dmdv_graphparts_destroy(&l.parts);
  dmd_pool_destroy(&l.report_sets);
  dmd_pool_destroy(&l.tags);
  dmd_pool_destroy(&l.names);
  dmd_pool_destroy(&l.first_root);
  dmd_pool_destroy(&l.objects);
  return good;
}

bool dmdv_load_graph(dmd_heapgraph_t *graph, const char *name,
                     const dmdv_load_graph_options_t *options, dmd_fail_t *fail) {
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_input_keep(input, fail) && dmdv_load_graph_input(graph, input, options, fail);
  dmdv_input_close(input);
  return good;
}
