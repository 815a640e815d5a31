/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Graphs of scans, against a search of all blocks for each word.
 */
#include "fixture.h"

#include "analyse/graph/scangraph.h"

enum { MAX = 30, MAX_WORDS = 6 };

typedef struct {
  uint64_t addr, req;
  uint64_t words[MAX_WORDS];
  uint32_t n;
} scanned_t;

static void add(dmd_profile_t *profile, const scanned_t *block, const char *frames) {
  dmd_group_t group = {.req = block->req,
                       .slop = block->req % 3,
                       .num = 1,
                       .thread = 4,
                       .stack = build_stack(profile, frames)};
  group.tag = (uint16_t)dmd_intern_str(&profile->tags, frames);
  dmd_scanned_add(&profile->scanned, dmd_groups_append(&profile->groups, &group), block->addr);
  for (uint32_t i = 0; i < block->n; i++)
    dmd_scanned_add_word(&profile->scanned, block->words[i]);
}

/* The block around an address; n: no block. Blocks are sorted by address. */
static uint32_t block_around(const scanned_t *blocks, uint32_t n, uint64_t addr) {
  uint32_t i = 0;
  while (i < n && !(addr >= blocks[i].addr && addr < blocks[i].addr + blocks[i].req))
    i++;
  return i;
}

static void check_edges(const dmd_heapgraph_t *graph, const scanned_t *blocks, uint32_t n,
                        uint32_t place) {
  uint32_t node = dmd_heapgraph_first_block(graph) + place, edge = graph->graph.first[node];
  for (uint32_t i = 0; i < blocks[place].n; i++) {
    uint64_t word = blocks[place].words[i];
    uint32_t to = block_around(blocks, n, word);
    if (to == n)
      continue;
    const dmd_graph_interior_t *interior = dmd_heapgraph_interior(graph, edge);
    assert_true(edge < graph->graph.first[node + 1]);
    assert_int_equal(graph->graph.target[edge], dmd_heapgraph_first_block(graph) + to);
    assert_int_equal(graph->graph.offset[edge], 8 * i);
    assert_int_equal(interior == NULL ? 0 : interior->into, word - blocks[to].addr);
    edge++;
  }
  assert_int_equal(edge, graph->graph.first[node + 1]);
}

static void make_blocks(scanned_t *blocks, uint32_t n, dice_t *dice) {
  uint64_t addr = 0x1000;
  for (uint32_t i = 0; i < n; i++) {
    blocks[i] = (scanned_t){.addr = addr, .n = (uint32_t)dice_below(dice, MAX_WORDS + 1)};
    blocks[i].req = 1 + 8 * blocks[i].n + dice_below(dice, 7);
    addr += blocks[i].req + dice_below(dice, 40);
    for (uint32_t k = 0; k < blocks[i].n; k++)
      blocks[i].words[k] = 0xff0 + dice_below(dice, 64 * MAX);
  }
}

static void random_scans_against_a_search(void **state) {
  (void)state;
  static const char *const stacks[] = {"malloc (m.c:1)|f (a.c:1)", "malloc (m.c:1)|g (a.c:2)",
                                       "new (m.c:2)|f (a.c:1)|main (a.c:9)"};
  dice_t dice = {11};
  for (int round = 0; round < 500; round++) {
    fixture_t f;
    dmd_heapgraph_t graph;
    dmd_strbuf_t why;
    scanned_t blocks[MAX];
    uint32_t n = 1 + (uint32_t)dice_below(&dice, MAX), shift = (uint32_t)dice_below(&dice, n);
    fixture_begin(&f, DMD_MODE_SCAN);
    make_blocks(blocks, n, &dice);
    for (uint32_t i = 0; i < n; i++) /* a file may have them in any order */
      add(&f.profile, &blocks[(i + shift) % n], stacks[(i + shift) % n % COUNT_OF(stacks)]);
    dmd_strbuf_init(&why, &f.host.env);
    assert_true(dmd_scangraph_init(&graph, &f.host.env, &f.profile, &why));
    dmd_strbuf_destroy(&why);
    assert_int_equal(graph.graph.n_nodes, 1 + n);
    assert_int_equal(graph.n_roots, 0);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t node = dmd_heapgraph_first_block(&graph) + i;
      const dmd_graph_block_t *block = dmd_heapgraph_block(&graph, node);
      assert_true(block->addr == blocks[i].addr && block->thread == 4 && block->outer == DMD_NONE);
      assert_int_equal(dmd_heapgraph_requested(&graph, node), blocks[i].req);
      assert_int_equal(block->slop, blocks[i].req % 3);
      assert_string_equal(
          stack_text(&graph.profile, dmd_heapgraph_profile_stack(&graph, block->stack)),
          stacks[i % COUNT_OF(stacks)]);
      assert_string_equal(dmd_intern_get_str(&graph.profile.tags, block->tag),
                          stacks[i % COUNT_OF(stacks)]);
      check_edges(&graph, blocks, n, i);
    }
    dmd_heapgraph_destroy(&graph);
    fixture_end(&f);
  }
}

/* Offsets of the edges of the first block, of two words that both lead to the second. */
static uint32_t second_offset(uint64_t req, uint32_t n_words, uint64_t word_szB) {
  fixture_t f;
  dmd_heapgraph_t graph;
  dmd_strbuf_t why;
  scanned_t block = {.addr = 0x100, .req = req, .n = n_words};
  fixture_begin(&f, DMD_MODE_SCAN);
  f.profile.run.is_known = word_szB != 0;
  f.profile.run.word_szB = word_szB;
  for (uint32_t i = 0; i < n_words; i++)
    block.words[i] = 0x200;
  add(&f.profile, &block, "f");
  add(&f.profile, &(scanned_t){.addr = 0x200, .req = 4}, "f");
  dmd_strbuf_init(&why, &f.host.env);
  assert_true(dmd_scangraph_init(&graph, &f.host.env, &f.profile, &why));
  dmd_strbuf_destroy(&why);
  uint32_t offset = graph.graph.first[2] - graph.graph.first[1] < 2 ? 0 : graph.graph.offset[1];
  dmd_heapgraph_destroy(&graph);
  fixture_end(&f);
  return offset;
}

/* Words beyond the end of a block do not count. */
static void words_have_the_programs_size(void **state) {
  (void)state;
  assert_int_equal(second_offset(16, 2, 8), 8);
  assert_int_equal(second_offset(16, 2, 4), 4);
  assert_int_equal(second_offset(16, 2, 0), 8);
  assert_int_equal(second_offset(16, 3, 0), 4);
  assert_int_equal(second_offset(15, 2, 8), 0);
}

static void wrong_addresses_are_told(void **state) {
  (void)state;
  fixture_t f;
  dmd_heapgraph_t graph;
  dmd_strbuf_t why;
  fixture_begin(&f, DMD_MODE_SCAN);
  add(&f.profile, &(scanned_t){.addr = 0x200, .req = 4}, "f");
  add(&f.profile, &(scanned_t){.addr = 0x1ff, .req = 2}, "f");
  dmd_strbuf_init(&why, &f.host.env);
  assert_false(dmd_scangraph_init(&graph, &f.host.env, &f.profile, &why));
  assert_string_equal(why.text, "the blocks at 0x1ff and 0x200 overlap");
  dmd_strbuf_destroy(&why);
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_heapgraph_t graph;
  dmd_strbuf_t why;
  dmd_profile_init(&profile, &host->env);
  dmd_strbuf_init(&why, &host->env);
  add(&profile, &(scanned_t){.addr = 0x100, .req = 16, .n = 2, .words = {0x200, 0x104}}, "f|g");
  add(&profile, &(scanned_t){.addr = 0x200, .req = 8, .n = 1, .words = {0x100}}, "h");
  assert_true(dmd_scangraph_init(&graph, &host->env, &profile, &why));
  assert_int_equal(dmd_graph_n_edges(&graph.graph), 3);
  dmd_heapgraph_destroy(&graph);
  dmd_strbuf_destroy(&why);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_scans_against_a_search),
      cmocka_unit_test(words_have_the_programs_size),
      cmocka_unit_test(wrong_addresses_are_told),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
