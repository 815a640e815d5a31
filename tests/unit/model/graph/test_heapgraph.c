/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "model/graph/heapgraph.h"

#include <string.h>

/* Blocks in a row, with gaps between them and other blocks inside some of them. */
enum { HEAPS = 300, MAX_BLOCKS = 30, SPAN = 600 };

typedef struct {
  uint64_t addr, szB;
  uint32_t outer;
} placed_t;

static uint32_t throw_blocks(dice_t *dice, placed_t *blocks) {
  uint32_t n = 0;
  uint64_t at = 16;
  while (n < MAX_BLOCKS - 2 && at < SPAN - 64) {
    blocks[n++] = (placed_t){.addr = at, .szB = dice_below(dice, 40)};
    uint64_t end = at + blocks[n - 1].szB;
    if (blocks[n - 1].szB >= 16 && dice_below(dice, 2) > 0) {
      blocks[n] = (placed_t){.addr = at + dice_below(dice, 4), .szB = 12, .outer = n};
      n++;
    }
    at = end + 1 + dice_below(dice, 20);
  }
  return n;
}

static void build_heap(dmd_heapgraph_t *graph, const dmd_env_t *env, const placed_t *blocks,
                       uint32_t n) {
  dmd_heapgraph_init(graph, env, 1, n, 0);
  dmd_heapgraph_add_root(graph, &(dmd_graph_root_t){.kind = DMD_ROOT_REGISTERS});
  dmd_heapgraph_end_node(graph);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t outer = blocks[i].outer == 0 ? DMD_NONE : graph->n_roots + blocks[i].outer;
    dmd_graph_block_t block = {.addr = blocks[i].addr, .outer = outer};
    dmd_heapgraph_add_block(graph, &block, blocks[i].szB);
    dmd_heapgraph_end_node(graph);
  }
}

/* The smallest block around the address, the later one of equals. */
static uint32_t find_by_looking(const placed_t *blocks, uint32_t n, uint64_t addr) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t szB = blocks[i].szB > 0 ? blocks[i].szB : 1;
    if (addr >= blocks[i].addr && addr < blocks[i].addr + szB)
      found = i + 1;
  }
  return found;
}

static void finds_the_innermost_block(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {7};
  for (int i = 0; i < HEAPS; i++) {
    placed_t blocks[MAX_BLOCKS];
    uint32_t n = throw_blocks(&dice, blocks);
    dmd_heapgraph_t graph;
    build_heap(&graph, &host.env, blocks, n);
    for (uint64_t addr = 0; addr < SPAN; addr++) {
      uint32_t expected = find_by_looking(blocks, n, addr);
      assert_int_equal(dmd_heapgraph_find(&graph, addr),
                       expected == 0 ? DMD_GRAPH_ALL : graph.n_roots + expected);
    }
    dmd_heapgraph_destroy(&graph);
  }
  host_done(&host);
}

static void edges_say_where_they_lead(void **state) {
  (void)state;
  host_t host;
  dmd_heapgraph_t graph;
  host_init(&host);
  dmd_heapgraph_init(&graph, &host.env, 1, 2, 3);
  dmd_heapgraph_add_root(&graph, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .szB = 24});
  dmd_heapgraph_add_interior(&graph, 3, 8, 20, DMD_HEURISTIC_STRING);
  dmd_heapgraph_add_edge(&graph, 2, 16);
  dmd_heapgraph_end_node(&graph);
  dmd_heapgraph_add_block(&graph, &(dmd_graph_block_t){.addr = 64, .slop = 4}, 32);
  dmd_heapgraph_set_first_word(&graph, 5, 0x1234);
  dmd_heapgraph_add_interior(&graph, 2, 0, 8, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(&graph);
  dmd_heapgraph_add_block(&graph, &(dmd_graph_block_t){.addr = 128}, 48);
  dmd_heapgraph_end_node(&graph);

  const dmd_graph_t *g = &graph.graph;
  assert_int_equal(g->first[1] - g->first[0], 1); /* all lead to the one root */
  assert_int_equal(g->target[g->first[0]], 1);
  uint32_t edge = g->first[1];
  assert_int_equal(g->target[edge], 3);
  assert_int_equal(g->offset[edge], 8);
  assert_int_equal(dmd_heapgraph_interior(&graph, edge)->into, 20);
  assert_int_equal(dmd_heapgraph_interior(&graph, edge)->heuristic, DMD_HEURISTIC_STRING);
  assert_null(dmd_heapgraph_interior(&graph, edge + 1));
  assert_int_equal(dmd_heapgraph_interior(&graph, edge + 2)->into, 8);
  assert_int_equal(dmd_heapgraph_requested(&graph, 2), 28);
  assert_int_equal(dmd_heapgraph_first_word(&graph, 2)->addr, 0x1234);
  assert_null(dmd_heapgraph_first_word(&graph, 3));
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

/* Addresses of one line are one frame: stacks that differ are one in the profile. */
static void stacks_keep_their_addresses(void **state) {
  (void)state;
  host_t host;
  dmd_heapgraph_t graph;
  host_init(&host);
  dmd_heapgraph_init(&graph, &host.env, 0, 0, 0);
  dmd_graph_object_t object = {.path = "/bin/a", .build_id = "\0\1", .n_build_id = 2};
  uint32_t a = dmd_heapgraph_add_object(&graph, &object);
  uint32_t inner = dmd_frames_read_text(&graph.profile.frames, "inner (a.c:1)");
  uint32_t outer = dmd_frames_read_text(&graph.profile.frames, "outer (a.c:2)");
  uint32_t both[] = {inner, outer};
  uint32_t codes[] = {dmd_heapgraph_add_code(&graph, a, 0x10, both, 2),
                      dmd_heapgraph_add_code(&graph, a, 0x18, both, 2),
                      dmd_heapgraph_add_code(&graph, DMD_NONE, 0x99, NULL, 0)};
  uint32_t first = dmd_heapgraph_add_stack(&graph, codes, 1);
  uint32_t second = dmd_heapgraph_add_stack(&graph, codes + 1, 2);
  uint32_t third = dmd_heapgraph_add_stack(&graph, codes + 2, 1);

  assert_int_equal(dmd_heapgraph_n_codes(&graph, second), 2);
  assert_int_equal(dmd_heapgraph_code(&graph, dmd_heapgraph_stack_code(&graph, second, 0))->addr,
                   0x18);
  assert_int_equal(dmd_heapgraph_profile_stack(&graph, first),
                   dmd_heapgraph_profile_stack(&graph, second));
  assert_string_equal(stack_text(&graph.profile, dmd_heapgraph_profile_stack(&graph, first)),
                      "inner (a.c:1)|outer (a.c:2)");
  assert_int_equal(dmd_heapgraph_profile_stack(&graph, third), DMD_NONE);
  assert_int_equal(dmd_heapgraph_n_codes(&graph, DMD_NONE), 0);
  assert_memory_equal(dmd_heapgraph_object(&graph, a)->build_id, "\0\1", 2);
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

static void throw_offsets(dice_t *dice, dmd_graph_t *graph, uint32_t *offsets, uint32_t n_nodes,
                          uint32_t n_edges) {
  uint32_t n = 0;
  for (uint32_t node = 0; node < n_nodes; node++) {
    uint32_t offset = 0, n_of_node = (uint32_t)dice_below(dice, 2 * n_edges / n_nodes);
    for (uint32_t i = 0; i < n_of_node && n < n_edges; i++) {
      offset = dice_below(dice, 10) == 0 ? (uint32_t)dice_below(dice, UINT32_MAX)
                                         : offset + 8 * (uint32_t)dice_below(dice, 20);
      dmd_graph_add_edge(graph, node, offset);
      offsets[n++] = offset;
    }
    dmd_graph_end_node(graph);
  }
}

static void offsets_come_back(void **state) {
  (void)state;
  enum { N_NODES = 100, N_EDGES = 1000 };
  dice_t dice = {9};
  host_t host;
  host_init(&host);
  for (int round = 0; round < 100; round++) {
    dmd_graph_t graph;
    dmd_packed_offsets_t packed;
    uint32_t offsets[N_EDGES];
    dmd_graph_init(&graph, &host.env, N_NODES, N_EDGES, round > 0);
    throw_offsets(&dice, &graph, offsets, N_NODES, N_EDGES);
    dmd_graph_pack_offsets(&graph, &packed);
    assert_null(graph.offset);
    dmd_graph_unpack_offsets(&packed);
    if (round > 0)
      assert_memory_equal(graph.offset, offsets, dmd_graph_n_edges(&graph) * sizeof *offsets);
    else
      assert_null(graph.offset);
    dmd_graph_destroy(&graph);
  }
  host_done(&host);
}

static void borrowed_offsets_stay(void **state) {
  (void)state;
  host_t host;
  dmd_graph_t graph;
  dmd_packed_offsets_t packed;
  uint32_t first[] = {0, 1}, target[] = {0}, offset[] = {8};
  uint64_t size[] = {0};
  host_init(&host);
  dmd_graph_borrow(&graph, &host.env, 1, first, target, offset, size);
  dmd_graph_pack_offsets(&graph, &packed);
  assert_ptr_equal(graph.offset, offset);
  dmd_graph_unpack_offsets(&packed);
  assert_ptr_equal(graph.offset, offset);
  dmd_graph_destroy(&graph);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_heapgraph_t graph;
  dmd_heapgraph_init(&graph, &host->env, 0, 1, 1);
  dmd_heapgraph_add_block(&graph, &(dmd_graph_block_t){.addr = 64}, 32);
  dmd_heapgraph_add_interior(&graph, 1, 0, 8, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(&graph);
  uint32_t frame = dmd_frames_read_text(&graph.profile.frames, "f (a.c:1)");
  uint32_t code = dmd_heapgraph_add_code(&graph, DMD_NONE, 1, &frame, 1);
  dmd_heapgraph_add_stack(&graph, &code, 1);
  dmd_heapgraph_destroy(&graph);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_innermost_block),   cmocka_unit_test(edges_say_where_they_lead),
      cmocka_unit_test(stacks_keep_their_addresses), cmocka_unit_test(offsets_come_back),
      cmocka_unit_test(borrowed_offsets_stay),       cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
