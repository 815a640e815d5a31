/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "randomgraph.h"

#include "files/graph/graphwriter.h"

enum { MAX_FUNCTIONS = 16, MAX_CODES = 64, MAX_KEPT = 64 };

/* A code with its frames as functions, in a list of MAX_FUNCTIONS. */
static dmd_graphwriter_code_t code_of(const dmd_heapgraph_t *graph, uint32_t id,
                                      dmd_graphwriter_function_t *functions) {
  const dmd_graph_code_t *code = dmd_heapgraph_code(graph, id);
  dmd_graphwriter_code_t written = {
      .object = code->object, .addr = code->addr, .functions = functions};
  for (uint32_t i = 0; i < code->n_frames && i < MAX_FUNCTIONS; i++) {
    dmd_location_t location =
        dmd_frames_location(&graph->profile.frames, dmd_heapgraph_code_frame(graph, id, i));
    functions[written.n_functions++] = (dmd_graphwriter_function_t){
        .name = location.function, .file = location.file, .line = (uint32_t)location.line};
  }
  return written;
}

static void write_edges(dmd_graphwriter_t *file, const dmd_heapgraph_t *graph, uint32_t node) {
  int64_t last = -1, word_szB = (int64_t)graph->profile.run.word_szB;
  for (uint32_t e = graph->graph.first[node]; e < graph->graph.first[node + 1]; e++) {
    const dmd_graph_interior_t *interior = dmd_heapgraph_interior(graph, e);
    dmd_graphwriter_edge_t edge = {
        .word = (uint32_t)(graph->graph.offset[e] / graph->profile.run.word_szB),
        .target = graph->graph.target[e] - graph->n_roots};
    if (interior != NULL) {
      edge.into = interior->into;
      edge.heuristic = (dmd_heuristic_t)interior->heuristic;
    }
    dmd_graphwriter_edge(file, &edge);
    for (int i = -2; i <= 3; i++) {
      int64_t at = (int64_t)graph->graph.offset[e] + i * word_szB;
      uint64_t value = at > last ? dmd_heapgraph_number(graph, node, (uint64_t)at) : 0;
      if (value == 0)
        continue;
      dmd_graphwriter_number(file, i, value);
      last = at;
    }
  }
}

static void write_roots(dmd_graphwriter_t *file, const dmd_heapgraph_t *graph,
                        uint32_t *n_root_codes) {
  *n_root_codes = 0;
  for (uint32_t node = 1; node <= graph->n_roots; node++) {
    const dmd_graph_root_t *root = dmd_heapgraph_root(graph, node);
    dmd_graphwriter_function_t functions[MAX_FUNCTIONS];
    dmd_graphwriter_code_t code;
    dmd_graphwriter_root_t written = {.kind = root->kind,
                                      .addr = root->addr,
                                      .szB = root->szB,
                                      .object = root->object,
                                      .thread = root->thread,
                                      .name = root->name,
                                      .origin = root->origin};
    if (root->code != DMD_NONE) {
      code = code_of(graph, root->code, functions);
      written.frame = &code;
      ++*n_root_codes;
    }
    dmd_graphwriter_root(file, &written);
  }
  for (uint32_t node = 1; node <= graph->n_roots; node++) {
    dmd_graphwriter_begin_root(file);
    write_edges(file, graph, node);
  }
}

static void write_blocks(dmd_graphwriter_t *file, const dmd_heapgraph_t *graph) {
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    const dmd_graph_block_t *block = dmd_heapgraph_block(graph, node);
    const dmd_graph_first_word_t *word = dmd_heapgraph_first_word(graph, node);
    dmd_graphwriter_block(file, &(dmd_graphwriter_block_t){
                                    .addr = block->addr,
                                    .req = dmd_heapgraph_requested(graph, node),
                                    .slop = block->slop,
                                    .stack = block->stack,
                                    .reports = block->reports,
                                    .tag = block->tag,
                                    .thread = block->thread,
                                    .outer = block->outer != DMD_NONE ? node - block->outer : 0,
                                    .flags = block->flags});
    if (word != NULL)
      dmd_graphwriter_first_word(file, word->object, word->addr);
    const dmd_graph_contents_t *contents = dmd_heapgraph_contents(graph, node);
    if (contents != NULL)
      dmd_graphwriter_contents(file,
                               &(dmd_graphwriter_contents_t){
                                   .same = contents->same != DMD_NONE ? node - contents->same : 0,
                                   .tail = contents->tail,
                                   .byte = contents->byte});
    write_edges(file, graph, node);
  }
}

static void write_codes_and_stacks(dmd_graphwriter_t *file, const dmd_heapgraph_t *graph,
                                   uint32_t n_root_codes) {
  for (uint32_t id = n_root_codes + 1; id <= graph->codes.last; id++) {
    dmd_graphwriter_function_t functions[MAX_FUNCTIONS];
    dmd_graphwriter_code_t code = code_of(graph, id, functions);
    dmd_graphwriter_code(file, &code);
  }
  for (uint32_t id = 1; id <= graph->stacks.last; id++) {
    uint32_t codes[MAX_CODES], n = dmd_heapgraph_n_codes(graph, id);
    for (uint32_t i = 0; i < n && i < MAX_CODES; i++)
      codes[i] = dmd_heapgraph_stack_code(graph, id, i) - n_root_codes;
    dmd_graphwriter_stack(file, codes, n);
  }
}

/* A stack of the graph that has this id in the profile. */
static uint32_t stack_for(const dmd_heapgraph_t *graph, uint32_t in_profile) {
  uint32_t id = 1;
  while (dmd_heapgraph_profile_stack(graph, id) != in_profile)
    id++;
  return id;
}

static void write_report_sets(dmd_graphwriter_t *file, const dmd_heapgraph_t *graph) {
  const dmd_reports_t *reports = &graph->profile.reports;
  for (uint32_t id = 1; id <= dmd_reports_count(reports); id++) {
    dmd_graphwriter_report_t kept[MAX_KEPT];
    dmd_report_t list[MAX_KEPT];
    uint32_t n = dmd_reports_n_kept(reports, id);
    dmd_reports_list(reports, id, list);
    for (uint32_t i = 0; i < n; i++)
      kept[i] = (dmd_graphwriter_report_t){.stack = stack_for(graph, list[i].stack),
                                           .reporter = list[i].reporter};
    dmd_graphwriter_report_set(file, dmd_reports_are_shared(reports, id),
                               dmd_reports_at(reports, id)->count, kept, n);
  }
}

void write_graph(const dmd_heapgraph_t *graph, dmd_write_fn write, void *ctx) {
  const dmd_profile_t *profile = &graph->profile;
  dmd_graphwriter_t file;
  uint32_t n_root_codes;
  dmd_graphwriter_init(&file, graph->env, write, ctx);
  dmd_graphwriter_header(&file, profile, graph->has_contents, graph->fill);
  for (uint32_t id = 1; id <= graph->objects.last; id++)
    dmd_graphwriter_object(&file, dmd_heapgraph_object(graph, id));
  write_roots(&file, graph, &n_root_codes);
  write_blocks(&file, graph);
  for (uint32_t i = 1; i <= graph->residents.last; i++)
    dmd_graphwriter_resident(&file, DMD_POOL_AT(&graph->residents, dmd_graph_resident_t, i));
  write_codes_and_stacks(&file, graph, n_root_codes);
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->names); id++)
    dmd_graphwriter_name(&file, dmd_intern_get_str(&profile->names, id));
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->tags); id++)
    dmd_graphwriter_tag(&file, dmd_intern_get_str(&profile->tags, id));
  write_report_sets(&file, graph);
  dmd_graphwriter_end(&file);
  dmd_graphwriter_destroy(&file);
}
