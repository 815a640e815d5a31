/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Captured graphs, read back, against results computed word by word.
 */
#include "capture_fixture.h"

#include "host/process.h"

#include <stdio.h>

static uint64_t word_at(uint64_t addr) {
  uint64_t word = 0;
  memcpy(&word, g_capture.memory + (addr - BASE), g_capture.word_szB);
  return g_capture.pages[(addr - BASE) / DMD_PAGE_SZB] == READABLE ? word : 0;
}

/* ---- The slow way. ---- */

/* By address; of equal addresses the newer block is the inner one. */
static int compare_naive(const void *x, const void *y) {
  const added_t *a = x, *b = y;
  if (a->addr != b->addr)
    return a->addr < b->addr ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

/* The place of the innermost block around an address, which is the last of these; -1: none. */
static int naive_around(uint64_t addr) {
  int found = -1;
  for (uint32_t i = 0; i < g_capture.n_blocks; i++)
    if (addr - g_capture.blocks[i].addr <
        (g_capture.blocks[i].usable > 0 ? g_capture.blocks[i].usable : 1))
      found = (int)i;
  return found;
}

/* The next edge of a node must be this word, if it leads into a block. */
static void expect_word(uint64_t word, uint64_t offset, uint32_t *edge) {
  const dmd_graph_t *graph = &g_capture.graph.graph;
  int to = naive_around(word);
  uint64_t into = to < 0 ? 0 : word - g_capture.blocks[to].addr;
  if (to < 0 || (into > 0 && into >= g_capture.blocks[to].req))
    return;
  assert_int_equal(graph->target[*edge],
                   dmd_heapgraph_first_block(&g_capture.graph) + (uint32_t)to);
  assert_int_equal(graph->offset[*edge], offset);
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(&g_capture.graph, *edge);
  assert_int_equal(interior == NULL ? 0 : interior->into, into);
  ++*edge;
}

/* All words from addr to end that belong to this block itself; -1: to a root. */
static void expect_words(uint32_t node, int own, uint64_t addr, uint64_t end_addr) {
  uint32_t edge = g_capture.graph.graph.first[node];
  for (uint64_t at = (addr + g_capture.word_szB - 1) / g_capture.word_szB * g_capture.word_szB;
       at + g_capture.word_szB <= end_addr; at += g_capture.word_szB) {
    bool is_own = true;
    for (uint64_t i = 0; i < g_capture.word_szB && own >= 0; i++)
      is_own = is_own && naive_around(at + i) == own;
    if (is_own && capture_has_address(at))
      expect_word(word_at(at), at - addr, &edge);
  }
  assert_int_equal(edge, g_capture.graph.graph.first[node + 1]);
}

static void expect_graph(void) {
  qsort(g_capture.blocks, g_capture.n_blocks, sizeof *g_capture.blocks, compare_naive);
  assert_int_equal(g_capture.graph.blocks.last, g_capture.n_blocks);
  uint32_t node = 1;
  for (uint32_t i = 0; i < g_capture.n_roots; i++, node++)
    expect_words(node, -1, g_capture.roots[i][0], g_capture.roots[i][0] + g_capture.roots[i][1]);
  uint32_t edge = g_capture.graph.graph.first[node];
  for (uint32_t i = 1; i <= g_capture.registers.last; i++)
    expect_word(*DMD_POOL_AT(&g_capture.registers, uint64_t, i), (i - 1) * g_capture.word_szB,
                &edge);
  assert_int_equal(edge, g_capture.graph.graph.first[++node]);
  for (uint32_t i = 0; i < g_capture.n_blocks; i++, node++) {
    const dmd_graph_block_t *block = dmd_heapgraph_block(&g_capture.graph, node);
    assert_int_equal(block->addr, g_capture.blocks[i].addr);
    assert_int_equal(dmd_heapgraph_requested(&g_capture.graph, node), g_capture.blocks[i].req);
    assert_int_equal(block->slop, g_capture.blocks[i].usable - g_capture.blocks[i].req);
    assert_int_equal(block->thread, 3);
    expect_words(node, (int)i, g_capture.blocks[i].addr,
                 g_capture.blocks[i].addr + g_capture.blocks[i].req);
  }
}

/* ---- Random heaps. ---- */

/* Blocks one after the other, with pieces in some of them, which may overlap and reach beyond. */
static uint64_t make_blocks(dice_t *dice) {
  uint64_t next = BASE + DMD_PAGE_SZB + dice_below(dice, 64);
  while (g_capture.n_blocks < MAX_BLOCKS - 8 && next < BASE + MEMORY_SZB / 2) {
    uint64_t req = dice_below(dice, 10) == 0 ? dice_below(dice, 9000) : dice_below(dice, 120);
    uint64_t slop = dice_below(dice, 3) == 0 ? dice_below(dice, 24) : 0;
    uint64_t align = dice_below(dice, 4) == 0 ? 1 : 16;
    next = (next + align - 1) / align * align;
    capture_add_block(next, req, slop, 1 + (uint32_t)dice_below(dice, 5), 0);
    for (uint64_t i = dice_below(dice, 4) == 0 ? dice_below(dice, 6) : 0; i > 0; i--)
      capture_add_block(next + dice_below(dice, req + 1), dice_below(dice, req / 2 + 20), 0,
                        1 + (uint32_t)dice_below(dice, 5), DMD_BLOCK_ANNOUNCED);
    next += req + slop + (dice_below(dice, 2) == 0 ? 0 : dice_below(dice, 5000));
  }
  return next;
}

static void random_heap(dice_t *dice, uint64_t word_szB) {
  capture_begin(word_szB);
  uint64_t heap_end = make_blocks(dice), n_words = MEMORY_SZB / word_szB;
  if (heap_end > BASE + MEMORY_SZB - 2 * DMD_PAGE_SZB)
    heap_end = BASE + MEMORY_SZB - 2 * DMD_PAGE_SZB;
  for (int i = 0; i < 2000; i++)
    capture_put(BASE + dice_below(dice, n_words) * word_szB,
                BASE + dice_below(dice, MEMORY_SZB + 100) - 50);
  for (uint32_t i = 0; i < N_PAGES; i++)
    g_capture.pages[i] = dice_below(dice, 8) == 0 ? UNREADABLE : READABLE;
  for (uint32_t i = 0; i < N_PAGES; i++)
    if (dice_below(dice, 8) == 0) {
      g_capture.pages[i] = EMPTY;
      memset(g_capture.memory + i * DMD_PAGE_SZB, 0, DMD_PAGE_SZB);
    }
  g_capture.knows_pages = dice_below(dice, 4) > 0;
  for (g_capture.n_roots = 0; g_capture.n_roots < dice_below(dice, MAX_ROOTS + 1);
       g_capture.n_roots++) {
    g_capture.roots[g_capture.n_roots][0] = heap_end + dice_below(dice, DMD_PAGE_SZB) / 8 * 8;
    g_capture.roots[g_capture.n_roots][1] =
        dice_below(dice, BASE + MEMORY_SZB - g_capture.roots[g_capture.n_roots][0]);
  }
  for (uint64_t n = dice_below(dice, 30); n > 0; n--)
    capture_add_register(BASE + dice_below(dice, MEMORY_SZB));
  capture_and_load();
  expect_graph();
  dmd_heapgraph_destroy(&g_capture.graph);
  capture_end();
}

static void random_against_a_naive_scan(void **state) {
  (void)state;
  dice_t dice = {2026};
  for (int round = 0; round < 300; round++)
    random_heap(&dice, round % 3 == 0 ? 4 : 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_naive_scan),
  };
  dmdv_host_init();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
