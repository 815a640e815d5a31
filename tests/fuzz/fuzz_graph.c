/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_graph: the file of a heap graph from a stranger, plain or gzipped. Read whole and in small
 * pieces, it is the same graph or has the same fault at the same place. A graph that was read can
 * be counted by every key: each census contains all blocks and nothing else.
 */
#include "fuzz.h"

#include "analyse/graph/census.h"
#include "dmdv/input/profilefile.h"
#include "host/process.h"
#include "profiles/randomgraph.h"
#include "show/text/text_graph.h"

#include <string.h>

/* Data is cut at every 24th byte: the checks must hold for any cut. */
static void add_object(void *ctx, uint32_t id, const dmd_graph_object_t *object) {
  uint32_t *n_objects = ctx;
  FUZZ_CHECK(id == *n_objects + 1 && object != NULL);
  *n_objects = id;
}

static dmd_cut_part_t part_at(void *ctx, const dmd_uncut_t *rest) {
  const uint32_t *n_objects = ctx;
  uint64_t addr = rest->addr, szB = rest->szB;
  FUZZ_CHECK(rest->kind == DMD_ROOT_THREAD || (rest->object >= 1 && rest->object <= *n_objects));
  FUZZ_CHECK(szB > 0);
  uint64_t part = szB > 1 << 20 ? szB / 7 : 24 - addr % 24;
  return (dmd_cut_part_t){.szB = part < szB ? part : szB, .name = addr % 2 == 0 ? "v" : NULL};
}

static bool load(dmd_heapgraph_t *graph, const uint8_t *data, size_t n, size_t piece,
                 dmd_fail_t *fail) {
  uint32_t n_objects = 0;
  const dmd_data_cutter_t cutter = {.ctx = &n_objects, .add_object = add_object, .part = part_at};
  const dmd_load_graph_options_t options = {.cutter = n % 2 == 0 ? &cutter : NULL};
  dmdv_input_t *input = dmdv_input_open_memory(data, n, piece, fail);
  FUZZ_CHECK(input != NULL);
  bool good = dmdv_load_graph_input(graph, input, &options, fail);
  dmdv_input_close(input);
  return good;
}

static void spell(fuzz_text_t *text, const dmd_heapgraph_t *graph) {
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  spell_graph(&out, graph);
  FUZZ_CHECK(dmd_out_flush(&out));
}

static void check_same(const dmd_heapgraph_t *a, const dmd_heapgraph_t *b) {
  fuzz_text_t x = {0}, y = {0};
  spell(&x, a);
  spell(&y, b);
  fuzz_check_equal(&x, &y);
  fuzz_text_free(&x);
  fuzz_text_free(&y);
}

static void check_rows(const dmd_census_t *census, const dmd_census_row_t *outer) {
  int64_t blocks = 0, szB = 0;
  for (uint32_t i = 0; i < outer->n; i++) {
    const dmd_census_row_t *row = dmd_census_at(census, outer, i);
    FUZZ_CHECK(row->blocks > 0 && row->szB >= row->slop && row->slop >= 0);
    blocks += row->blocks;
    szB += row->szB;
    check_rows(census, row);
  }
  FUZZ_CHECK(outer->n == 0 || (blocks == outer->blocks && szB == outer->szB));
}

static void count(dmd_nodekeys_t *keys, const dmd_census_by_t *by) {
  dmd_census_t census;
  dmd_census_init(&census, &dmdv_env, by);
  dmd_census_add(&census, keys, NULL, 0, 1);
  dmd_census_finish(&census);
  FUZZ_CHECK(census.total.blocks == (int64_t)keys->graph->blocks.last);
  check_rows(&census, &census.total);
  fuzz_text_t printed = {0};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, &printed);
  dmd_census_print(&out, &census, census.total.szB, 3);
  dmd_census_json(&out, &census);
  FUZZ_CHECK(dmd_out_flush(&out));
  fuzz_take_safe(&printed);
  dmd_census_destroy(&census);
}

static void count_by_all(dmd_heapgraph_t *graph) {
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
  dmd_types_init(&types, &dmdv_env, graph->profile.run.word_szB);
  dmd_typing_init(&typing, graph, &types);
  dmd_kinds_init(&kinds, &typing);
  dmd_nodekeys_init(&keys, &kinds, 4);
  for (int key = 0; key < DMD_N_KEYS; key++) {
    dmd_census_by_t by = {.keys = {(dmd_nodekey_t)key, (dmd_nodekey_t)((key + 1) % DMD_N_KEYS)},
                          .n = 2};
    count(&keys, &by);
  }
  dmd_nodekeys_destroy(&keys);
  dmd_kinds_destroy(&kinds);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_heapgraph_t whole, pieces;
  dmd_fail_t fail = {0}, fail_pieces = {0};
  bool good = load(&whole, data, n, SIZE_MAX, &fail);
  bool good_pieces = load(&pieces, data, n, 32 + n % 37, &fail_pieces);
  FUZZ_CHECK(good == good_pieces);
  if (!good) {
    fuzz_check_same_fail(data, n, &fail, &fail_pieces);
    return 0;
  }
  check_same(&whole, &pieces);
  count_by_all(&whole);
  dmd_heapgraph_destroy(&pieces);
  dmd_heapgraph_destroy(&whole);
  return 0;
}
