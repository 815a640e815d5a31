/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses.h"

#include "analyse/graph/census.h"
#include "analyse/graph/kinds.h"
#include "analyse/graph/leaks.h"
#include "analyse/graph/owners.h"
#include "analyse/graph/paths.h"
#include "analyse/graph/retained.h"
#include "analyse/records/record.h"
#include "show/text/text_graph.h"
#include "show/text/text_waste.h"

/* ---- Types. ---- */

enum { N_STRUCTS = 6, WORD = 8, FRAMES = 4 };

static uint32_t name_of(dmd_types_t *types, char letter) {
  return dmd_intern_bytes(&types->names, &letter, 1);
}

/* dmd_type_source_t.read_members: the i-th struct has a pointer to the next struct, a number, an
 * array of pointers to new types, and the struct before it by value. */
static void read_members(void *ctx, dmd_types_t *types, uint32_t type) {
  const uint32_t *structs = ctx;
  uint32_t i = 0;
  while (i < N_STRUCTS && structs[i] != type)
    i++;
  if (i == N_STRUCTS)
    return;
  uint32_t number = dmd_types_add(
      types, &(dmd_type_t){.kind = DMD_TYPE_BASE, .name = name_of(types, 'n'), .szB = WORD});
  uint32_t to_next = dmd_types_pointer_to(types, structs[(i + 1) % N_STRUCTS]);
  uint32_t row = dmd_types_add(
      types, &(dmd_type_t){.kind = DMD_TYPE_ARRAY, .target = to_next, .count = i % 3});
  dmd_type_member_t members[] = {
      {.name = name_of(types, 'p'), .type = to_next},
      {.name = name_of(types, 'q'), .type = number, .offset = WORD, .bits_szB = i % 3},
      {.type = i > 0 ? structs[i - 1] : number, .offset = 2 * WORD},
      {.name = name_of(types, 'r'), .type = row, .offset = (3 + i) * WORD}};
  dmd_types_set_members(types, type, members, 4);
}

/* The sizes are any: nothing may rely on members lying within their structs. */
static void add_structs(dmd_types_t *types, uint32_t *structs) {
  for (uint32_t i = 0; i < N_STRUCTS; i++)
    structs[i] = dmd_types_add(types, &(dmd_type_t){.kind = DMD_TYPE_STRUCT,
                                                    .name = name_of(types, (char)('A' + i)),
                                                    .szB = i * WORD,
                                                    .layout = i});
}

void random_types(dmd_typing_t *typing, const random_dice_t *dice) {
  dmd_types_t *types = typing->types;
  uint32_t *structs = dmd_env_alloc(types->env, "test.types", N_STRUCTS * sizeof *structs);
  add_structs(types, structs);
  types->source = (dmd_type_source_t){.read_members = read_members, .ctx = structs};
  for (uint32_t node = 1; node < typing->graph->graph.n_nodes; node++) {
    uint64_t szB = dmd_heapgraph_is_block(typing->graph, node)
                       ? dmd_heapgraph_requested(typing->graph, node)
                       : typing->graph->graph.size[node];
    uint64_t lead = dice->below(dice->ctx, 4) == 0 ? WORD : 0;
    uint32_t type = structs[dice->below(dice->ctx, N_STRUCTS)];
    if (dice->below(dice->ctx, 3) != 0 && lead <= szB)
      dmd_typing_set(typing, node,
                     dice->below(dice->ctx, 4) == 0 ? dmd_types_pointer_to(types, type) : type,
                     (uint16_t)lead,
                     (dmd_type_evidence_t)(DMD_EVIDENCE_POINTER +
                                           dice->below(dice->ctx, DMD_N_EVIDENCES - 2)));
  }
}

/* ---- What is computed. ---- */

static void write_census(dmd_out_t *out, dmd_kinds_t *kinds) {
  dmd_nodekeys_t keys;
  dmd_nodekeys_init(&keys, kinds, FRAMES);
  for (int key = 0; key < DMD_N_KEYS; key++) {
    dmd_census_by_t by = {.keys = {(dmd_nodekey_t)key, (dmd_nodekey_t)((key + 1) % DMD_N_KEYS)},
                          .n = 2};
    dmd_census_t census;
    dmd_census_init(&census, keys.graph->env, &by);
    dmd_census_add(&census, &keys, NULL, 0, 1);
    dmd_census_finish(&census);
    dmd_census_json(out, &census);
    dmd_census_destroy(&census);
  }
  dmd_nodekeys_destroy(&keys);
}

static void write_retained(dmd_out_t *out, dmd_heapgraph_t *heap, dmd_kinds_t *kinds,
                           const dmd_typing_t *typing) {
  dmd_retained_t retained;
  dmd_retainedrows_t rows;
  dmd_retained_limits_t limits = {.max_depth = UINT32_MAX};
  dmd_retained_init(&retained, heap, typing);
  dmd_retainedrows_init(&rows, &retained, kinds, limits, NULL);
  dmd_retained_json(out, &rows);
  dmd_retainedrows_destroy(&rows);
  dmd_retained_destroy(&retained);
}

static void write_paths(dmd_out_t *out, const dmd_heapgraph_t *heap, dmd_kinds_t *kinds) {
  dmd_bitset_t to;
  dmd_paths_t paths;
  dmd_bitset_init(&to, heap->env, "test.paths", heap->graph.n_nodes);
  for (uint32_t node = dmd_heapgraph_first_block(heap); node < heap->graph.n_nodes; node++)
    dmd_bitset_add(&to, node);
  dmd_paths_init(&paths, kinds, &to);
  dmd_paths_json(out, &paths);
  dmd_paths_destroy(&paths);
  dmd_bitset_destroy(&to);
}

static void write_leaks(dmd_out_t *out, const dmd_heapgraph_t *heap, dmd_kinds_t *kinds,
                        const dmd_records_t *records) {
  dmd_leaks_t leaks;
  dmd_leakrows_t rows;
  dmd_leaks_init(&leaks, heap, DMD_LEAKS_AS_MEMCHECK);
  dmd_leakrows_init(&rows, &leaks, kinds, records, NULL, NULL);
  dmd_leaks_json(out, &(dmd_leaks_view_t){
                          .rows = &rows, .kinds = kinds, .states = (1u << DMD_N_LEAK_STATES) - 1});
  dmd_leakrows_destroy(&rows);
  dmd_leaks_destroy(&leaks);
}

static void write_waste(dmd_out_t *out, dmd_kinds_t *kinds, const dmd_records_t *records) {
  dmd_nodekeys_t keys;
  dmd_waste_t waste;
  const dmd_waste_options_t options = {.kinds = ~0u, .least_szB = 1};
  dmd_nodekeys_init(&keys, kinds, FRAMES);
  dmd_waste_init(&waste, &keys, records, &options);
  dmd_waste_json(out, &waste, DMD_WASTE_BY_FUNCTION);
  dmd_waste_destroy(&waste);
  dmd_nodekeys_destroy(&keys);
}

static void write_owners(dmd_out_t *out, dmd_heapgraph_t *heap, dmd_kinds_t *kinds,
                         const dmd_records_t *records) {
  dmd_owners_t owners;
  dmd_owners_init(&owners, heap, kinds, records, NULL);
  dmd_owners_json(out, &(dmd_owners_view_t){.owners = &owners});
  dmd_owners_destroy(&owners);
}

static void write_edges(dmd_out_t *out, const dmd_typing_t *typing) {
  const dmd_graph_t *graph = &typing->graph->graph;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, graph->env);
  for (uint32_t node = 1; node < graph->n_nodes; node++)
    for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
      dmd_strbuf_cut(&name, 0);
      dmd_edge_name(typing, node, edge, &name);
      dmd_out_str(out, name.text);
      dmd_out_char(out, '\n');
    }
  dmd_strbuf_destroy(&name);
}

void write_analyses(dmd_out_t *out, dmd_heapgraph_t *heap, dmd_typing_t *typing) {
  dmd_kinds_t kinds;
  dmd_records_t records;
  dmd_kinds_init(&kinds, typing);
  write_edges(out, typing);
  write_census(out, &kinds);
  write_retained(out, heap, &kinds, typing);
  write_paths(out, heap, &kinds);
  dmd_heapgraph_add_groups(heap, NULL);
  dmd_records_init(&records, &heap->profile, FRAMES, DMD_SORT_USABLE);
  write_leaks(out, heap, &kinds, &records);
  write_owners(out, heap, &kinds, &records);
  write_waste(out, &kinds, &records);
  dmd_records_destroy(&records);
  dmd_kinds_destroy(&kinds);
}
