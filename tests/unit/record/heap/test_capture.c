/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Captured graphs, read back: parts, and the facts about blocks and pointers. test_capture_random.c
 * checks that no pointer is missing.
 */
#include "capture_fixture.h"

#include "host/process.h"

#include <stdio.h>

/* More blocks and edges than a part has. */
static void parts_follow_each_other(void **state) {
  (void)state;
  enum { N = 10000, SZB = 16 };
  capture_begin(8);
  for (uint32_t i = 0; i < N; i++)
    dmd_live_add(&g_capture.live,
                 &(dmd_new_block_t){
                     .addr = BASE + i * SZB, .req = SZB, .usable = SZB, .stack = 1 + i % 700});
  for (uint32_t i = 0; i < N; i++) {
    capture_put(BASE + i * SZB, BASE + (N - 1 - i) * SZB);
    capture_put(BASE + i * SZB + 8, BASE + i * SZB + 8);
  }
  g_capture.roots[0][0] = BASE;
  g_capture.roots[0][1] = N * SZB;
  g_capture.n_roots = 1;
  capture_and_load();
  assert_int_equal(dmd_graph_n_edges(&g_capture.graph.graph), 2 + 4 * N);
  for (uint32_t i = 0; i < N; i++) {
    uint32_t node = dmd_heapgraph_first_block(&g_capture.graph) + i;
    uint32_t edge = g_capture.graph.graph.first[node];
    const dmd_graph_block_t *block = dmd_heapgraph_block(&g_capture.graph, node);
    assert_int_equal(g_capture.graph.graph.first[node + 1] - edge, 2);
    assert_int_equal(g_capture.graph.graph.target[edge], node + N - 1 - 2 * i);
    assert_int_equal(g_capture.graph.graph.target[edge + 1], node);
    assert_int_equal(dmd_heapgraph_interior(&g_capture.graph, edge + 1)->into, 8);
    /* Stacks are numbered as they come, so they are identified by the address of the code, the live
     * id. */
    uint32_t code = dmd_heapgraph_stack_code(&g_capture.graph, block->stack, 0);
    assert_int_equal(dmd_heapgraph_code(&g_capture.graph, code)->addr, 1 + i % 700);
  }
  dmd_heapgraph_destroy(&g_capture.graph);
  capture_end();
}

/* ---- Facts about blocks. ---- */

static void reports_and_tags(void **state) {
  (void)state;
  capture_begin(8);
  uint32_t reporter = dmd_intern_str(&g_capture.live.reporter_names, "explicit/a");
  dmd_live_add(&g_capture.live,
               &(dmd_new_block_t){.addr = BASE,
                                  .req = 32,
                                  .usable = 40,
                                  .stack = 1,
                                  .thread = 3,
                                  .tag = dmd_intern_str(&g_capture.live.tag_names, "t")});
  dmd_live_report(&g_capture.live, 3, BASE, 2, 0, reporter);
  dmd_live_report(&g_capture.live, 3, BASE, 3, 0, reporter);
  capture_add_block(BASE + 64, 32, 0, DMD_NONE, DMD_BLOCK_ANNOUNCED | DMD_BLOCK_POOLED);
  capture_and_load();
  const dmd_graph_block_t *a = dmd_heapgraph_block(&g_capture.graph, 2);
  const dmd_graph_block_t *b = dmd_heapgraph_block(&g_capture.graph, 3);
  const dmd_profile_t *profile = &g_capture.graph.profile;
  assert_string_equal(dmd_intern_get_str(&profile->tags, a->tag), "t");
  const dmd_report_set_t *set = dmd_reports_at(&profile->reports, a->reports);
  assert_int_equal(set->count, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(dmd_intern_get_str(&profile->names, set->report[i].reporter), "explicit/a");
    size_t n;
    const uint32_t *frames = dmd_profile_frames(profile, set->report[i].stack, &n);
    assert_int_equal(n, 1);
    assert_string_equal(dmd_frames_text(&profile->frames, frames[0]),
                        i == 0 ? "f2 (a.c:1)" : "f3 (a.c:1)");
  }
  assert_int_equal(b->reports, DMD_NONE);
  assert_int_equal(b->stack, DMD_NONE);
  assert_int_equal(a->flags, 0);
  assert_int_equal(b->flags, DMD_GRAPH_ANNOUNCED | DMD_GRAPH_POOLED);
  dmd_heapgraph_destroy(&g_capture.graph);
  capture_end();
}

static dmd_heuristic_t heuristic_of(uint64_t pointer) {
  capture_add_register(pointer);
  capture_and_load();
  uint32_t edge = g_capture.graph.graph.first[2] - 1;
  dmd_heuristic_t found =
      (dmd_heuristic_t)dmd_heapgraph_interior(&g_capture.graph, edge)->heuristic;
  dmd_heapgraph_destroy(&g_capture.graph);
  return found;
}

/* Memcheck's rules, and near misses. */
static void usual_pointers_into_blocks(void **state) {
  (void)state;
  for (uint64_t word_szB = 4; word_szB <= 8; word_szB += 4) {
    capture_begin(word_szB);
    uint64_t w = word_szB;
    /* length, capacity, count, then capacity + 1 bytes */
    capture_add_block(BASE, 3 * w + 20 + 1, 0, 1, 0);
    capture_put(BASE, 20);
    capture_put(BASE + w, 20);
    assert_int_equal(heuristic_of(BASE + 3 * w), DMD_HEURISTIC_STRING);
    assert_int_equal(heuristic_of(BASE + 2 * w), DMD_HEURISTIC_NONE);
    capture_put(BASE, 21);
    assert_int_equal(heuristic_of(BASE + 3 * w), DMD_HEURISTIC_NONE);
    capture_put(BASE, 1);
    capture_put(BASE + w, 19);
    assert_int_equal(heuristic_of(BASE + 3 * w), DMD_HEURISTIC_NONE);
    /* 64 bits, whatever the word: the size of what follows */
    capture_add_block(BASE + 128, 40, 0, 1, 0);
    capture_put(BASE + 128, 32);
    assert_int_equal(heuristic_of(BASE + 136), DMD_HEURISTIC_LENGTH);
    capture_put(BASE + 128, 31);
    assert_int_equal(heuristic_of(BASE + 136), DMD_HEURISTIC_NONE);
    /* as many elements as a word says, of equal size */
    capture_put(BASE + 128, w == 8 ? 4 : 6);
    assert_int_equal(heuristic_of(BASE + 128 + w), DMD_HEURISTIC_NEW_ARRAY);
    capture_put(BASE + 128, 5);
    assert_int_equal(heuristic_of(BASE + 128 + w), DMD_HEURISTIC_NONE);
    capture_put(BASE + 128, 0);
    assert_int_equal(heuristic_of(BASE + 128 + w), DMD_HEURISTIC_NONE);
    capture_end();
  }
}

static void base_classes(void **state) {
  (void)state;
  capture_begin(8);
  uint64_t functions[] = {0, CODE + 8, CODE + 16}, no_functions[] = {CODE + 8, BASE};
  memcpy(g_capture.tables + 64, functions, sizeof functions);
  memcpy(g_capture.tables + 128, no_functions, sizeof no_functions);
  capture_add_block(BASE, 48, 0, 1, 0);
  capture_put(BASE, TABLES + 64);
  capture_put(BASE + 24, TABLES + 64);
  assert_int_equal(heuristic_of(BASE + 24), DMD_HEURISTIC_INHERITANCE);
  assert_int_equal(heuristic_of(BASE + 28), DMD_HEURISTIC_NONE);
  capture_put(BASE + 24, TABLES + 128);
  assert_int_equal(heuristic_of(BASE + 24), DMD_HEURISTIC_NONE);
  capture_put(BASE + 24, TABLES + 64);
  capture_put(BASE, TABLES + 68);
  assert_int_equal(heuristic_of(BASE + 24), DMD_HEURISTIC_NONE);
  /* Two zeroes at the end of the mapped memory are not functions. */
  capture_put(BASE, TABLES + DMD_PAGE_SZB - 16);
  assert_int_equal(heuristic_of(BASE + 24), DMD_HEURISTIC_NONE);
  capture_end();
}

static void first_words_in_objects(void **state) {
  (void)state;
  capture_begin(8);
  static const uint64_t words[] = {CODE - 1, CODE, TABLES + 16, OBJECT_END - 1, OBJECT_END, 0};
  for (uint32_t i = 0; i < COUNT_OF(words); i++) {
    capture_add_block(BASE + 64 * i, 32, 0, 1, 0);
    capture_put(BASE + 64 * i, words[i]);
  }
  capture_add_block(BASE + 1024, 7, 25, 1, 0); /* too small for a word */
  capture_put(BASE + 1024, CODE);
  capture_and_load();
  uint32_t node = dmd_heapgraph_first_block(&g_capture.graph);
  for (uint32_t i = 0; i <= COUNT_OF(words); i++) {
    const dmd_graph_first_word_t *word = dmd_heapgraph_first_word(&g_capture.graph, node + i);
    assert_int_equal(word != NULL, i >= 1 && i <= 3);
    if (word != NULL) {
      assert_int_equal(word->object, 1);
      assert_int_equal(word->addr, words[i] - BIAS);
    }
  }
  dmd_heapgraph_destroy(&g_capture.graph);
  capture_end();
}

static const dmd_graph_contents_t *contents_of(uint32_t place) {
  return dmd_heapgraph_contents(&g_capture.graph,
                                dmd_heapgraph_first_block(&g_capture.graph) + place);
}

/* A block of 8,200 bytes over three pages, and one of 100 bytes, each twice; and what differs in
 * the last byte only. */
static void equal_contents(void **state) {
  (void)state;
  enum { LARGE = 8200, SMALL = 100 };
  static const uint64_t at[] = {BASE, BASE + 0x3008, BASE + 0x6010, BASE + 0x9000, BASE + 0x9100};
  capture_begin(8);
  for (uint32_t i = 0; i < COUNT_OF(at); i++) {
    uint64_t szB = i < 3 ? LARGE : SMALL;
    capture_add_block(at[i], szB, 0, 1, 0);
    for (uint64_t k = 0; k < szB / 2; k++)
      g_capture.memory[at[i] - BASE + k] = (unsigned char)(k * 7 % 251);
    g_capture.memory[at[i] - BASE + szB - 1] = i == 1 ? 1 : 2;
  }
  capture_and_load();
  uint32_t first = dmd_heapgraph_first_block(&g_capture.graph);
  assert_null(contents_of(0));
  assert_null(contents_of(1));
  assert_int_equal(contents_of(2)->same, first);
  assert_int_equal(contents_of(2)->tail, 0);
  assert_null(contents_of(3));
  assert_int_equal(contents_of(4)->same, first + 3);
  dmd_heapgraph_destroy(&g_capture.graph);
  capture_end();
}

static void ends_of_equal_bytes(void **state) {
  (void)state;
  capture_begin(8);
  capture_add_block(BASE, 3 * DMD_PAGE_SZB, 0, 1, 0);
  capture_add_block(BASE + 3 * DMD_PAGE_SZB, 71, 0, 1, 0);
  capture_add_block(BASE + 4 * DMD_PAGE_SZB, 64, 0, 1, 0);
  capture_add_block(BASE + 5 * DMD_PAGE_SZB, 64, 0, 1, 0);
  g_capture.memory[100] = 1;
  memset(g_capture.memory + 3 * DMD_PAGE_SZB + 7, 0xfe, 64);
  g_capture.memory[5 * DMD_PAGE_SZB] = 1;
  capture_and_load();
  assert_int_equal(contents_of(0)->tail, 3 * DMD_PAGE_SZB - 101);
  assert_int_equal(contents_of(0)->byte, 0);
  assert_int_equal(contents_of(1)->tail, 64);
  assert_int_equal(contents_of(1)->byte, 0xfe);
  assert_int_equal(contents_of(2)->tail, 64);
  assert_null(contents_of(3)); /* only 63 */
  dmd_heapgraph_destroy(&g_capture.graph);
  capture_end();
}

static bool drop(void *ctx, const char *bytes, size_t n) {
  (void)ctx, (void)bytes, (void)n;
  return true;
}

static void use(host_t *host, void *arg) {
  (void)arg;
  capture_begin_on(&host->env, 8);
  capture_add_block(BASE, 64, 0, 1, 0);
  capture_add_block(BASE + 16, 8, 0, 2, DMD_BLOCK_ANNOUNCED);
  dmd_live_report(&g_capture.live, 3, BASE, 3, 0,
                  dmd_intern_str(&g_capture.live.reporter_names, "r"));
  capture_put(BASE, BASE + 16);
  g_capture.roots[0][0] = BASE;
  g_capture.roots[0][1] = 64;
  g_capture.n_roots = 1;
  capture(drop, NULL);
  capture_end_on();
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_follow_each_other),
      cmocka_unit_test(reports_and_tags),
      cmocka_unit_test(usual_pointers_into_blocks),
      cmocka_unit_test(base_classes),
      cmocka_unit_test(equal_contents),
      cmocka_unit_test(ends_of_equal_bytes),
      cmocka_unit_test(first_words_in_objects),
      cmocka_unit_test(out_of_memory),
  };
  dmdv_host_init();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
