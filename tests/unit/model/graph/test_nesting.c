/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "model/graph/nesting.h"

#include <stdio.h>

/* The blocks of a heap. Only address, sizes, the enclosing block (from 1; 0: none) and the
 * reporter's name (NULL: none) matter. */
typedef struct {
  uint64_t addr, szB;
  uint32_t slop, outer;
  const char *reporter;
} given_t;

static uint32_t reported_by(dmd_heapgraph_t *graph, const char *reporter) {
  uint32_t name = dmd_intern_str(&graph->profile.names, reporter);
  return dmd_reports_intern(
      &graph->profile.reports,
      &(dmd_report_set_t){.count = 1, .report = {{.stack = 1, .reporter = name}}});
}

static void build(dmd_heapgraph_t *graph, const dmd_env_t *env, const given_t *given, uint32_t n) {
  dmd_heapgraph_init(graph, env, 1, n, 0);
  dmd_heapgraph_add_root(graph, &(dmd_graph_root_t){.kind = DMD_ROOT_REGISTERS});
  dmd_heapgraph_end_node(graph);
  for (uint32_t i = 0; i < n; i++) {
    dmd_graph_block_t block = {.addr = given[i].addr,
                               .slop = given[i].slop,
                               .outer = given[i].outer > 0 ? 1 + given[i].outer : DMD_NONE};
    if (given[i].reporter != NULL)
      block.reports = reported_by(graph, given[i].reporter);
    dmd_heapgraph_add_block(graph, &block, given[i].szB);
    dmd_heapgraph_end_node(graph);
  }
}

static void assert_own(const dmd_nesting_sizes_t *sizes, uint32_t block, uint64_t szB,
                       uint64_t slop) {
  dmd_own_size_t own = dmd_nesting_own(sizes, sizes->graph->n_roots + block);
  assert_int_equal(own.szB, szB);
  assert_int_equal(own.slop, slop);
}

static void a_byte_is_the_innermost_blocks(void **state) {
  (void)state;
  static const given_t given[] = {
      {.addr = 100, .szB = 100, .slop = 10},           /* two pieces, of 40 and 30 */
      {.addr = 110, .szB = 40, .slop = 2, .outer = 1}, /* a piece of 8 in it */
      {.addr = 112, .szB = 8, .outer = 2},
      {.addr = 160, .szB = 30, .outer = 1},
      {.addr = 300, .szB = 20, .slop = 4}, /* a piece that ends 90 bytes behind it */
      {.addr = 310, .szB = 100, .outer = 5},
      {.addr = 500, .szB = 20, .slop = 8}, /* two pieces on each other: 18 bytes, 6 of slop */
      {.addr = 500, .szB = 10, .outer = 7},
      {.addr = 502, .szB = 8, .outer = 7},
      {.addr = 600, .szB = 7, .slop = 3},
  };
  host_t host;
  dmd_heapgraph_t graph;
  dmd_nesting_sizes_t sizes;
  host_init(&host);
  build(&graph, &host.env, given, COUNT_OF(given));
  dmd_nesting_init(&sizes, &graph);
  assert_own(&sizes, 1, 30, 10);
  assert_own(&sizes, 2, 32, 2);
  assert_own(&sizes, 3, 8, 0);
  assert_own(&sizes, 4, 30, 0);
  assert_own(&sizes, 5, 10, 4); /* 6 of 16 requested bytes remain */
  assert_own(&sizes, 6, 100, 0);
  assert_own(&sizes, 7, 2, 2); /* 0 of 12 requested bytes and 2 of 8 bytes of slop remain */
  assert_own(&sizes, 10, 7, 3);
  dmd_nesting_destroy(&sizes);
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

static void without_nesting_sizes_are_as_they_are(void **state) {
  (void)state;
  static const given_t given[] = {{.addr = 600, .szB = 7, .slop = 3}};
  host_t host;
  dmd_heapgraph_t graph;
  dmd_nesting_sizes_t sizes;
  host_init(&host);
  build(&graph, &host.env, given, 1);
  size_t before = host.n_calls;
  dmd_nesting_init(&sizes, &graph);
  assert_int_equal(host.n_calls, before);
  assert_own(&sizes, 1, 7, 3);
  dmd_nesting_destroy(&sizes);
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

/* "a b": the reporters of a block, in their order. */
static const char *reporters_of(const dmd_heapgraph_t *graph, uint32_t block) {
  static char text[64];
  uint32_t id = dmd_heapgraph_block(graph, graph->n_roots + block)->reports;
  dmd_report_walk_t walk = dmd_reports_walk(&graph->profile.reports, id);
  text[0] = '\0';
  while (dmd_reports_next(&walk)) {
    strcat(text, text[0] == '\0' ? "" : " ");
    strcat(text, dmd_intern_get_str(&graph->profile.names, walk.report->reporter));
  }
  return text;
}

static void who_reports_a_block_reports_what_is_in_it(void **state) {
  (void)state;
  static const given_t given[] = {
      {.addr = 100, .szB = 100, .reporter = "a"},
      {.addr = 110, .szB = 40, .outer = 1},
      {.addr = 112, .szB = 8, .outer = 2, .reporter = "c"},
      {.addr = 160, .szB = 30, .outer = 1, .reporter = "d"},
      {.addr = 300, .szB = 20},
      {.addr = 310, .szB = 5, .outer = 5, .reporter = "e"},
  };
  host_t host;
  dmd_heapgraph_t graph;
  host_init(&host);
  build(&graph, &host.env, given, COUNT_OF(given));
  dmd_nesting_join_reports(&graph);
  static const char *const expected[] = {"a", "a", "c a", "d a", "", "e"};
  for (uint32_t i = 0; i < COUNT_OF(expected); i++)
    assert_string_equal(reporters_of(&graph, i + 1), expected[i]);
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

/* 250 blocks, each in the one before it. Every second one has a report, the first among them. */
static void of_many_around_a_block_the_nearest_are_kept(void **state) {
  (void)state;
  enum { N = 250 };
  given_t given[N];
  char names[N][8];
  for (uint32_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%u", i + 1);
    given[i] = (given_t){.addr = 100, .szB = N - i, .outer = i};
    given[i].reporter = i % 2 == 0 ? names[i] : NULL;
  }
  host_t host;
  dmd_heapgraph_t graph;
  host_init(&host);
  build(&graph, &host.env, given, N);
  dmd_nesting_join_reports(&graph);
  for (uint32_t block = N; block > 0; block--) {
    uint32_t id = dmd_heapgraph_block(&graph, 1 + block)->reports, n = (block + 1) / 2;
    assert_int_equal(dmd_reports_at(&graph.profile.reports, id)->count, n);
    char expected[20];
    snprintf(expected, sizeof expected, n > 1 ? "%u %u" : "%u", 2 * n - 1, 2 * n - 3);
    assert_string_equal(reporters_of(&graph, block), expected);
  }
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static const given_t given[] = {{.addr = 1, .szB = 9, .reporter = "a"},
                                  {.addr = 2, .szB = 3, .outer = 1, .reporter = "b"}};
  dmd_heapgraph_t graph;
  dmd_nesting_sizes_t sizes;
  build(&graph, &host->env, given, COUNT_OF(given));
  dmd_nesting_join_reports(&graph);
  dmd_nesting_init(&sizes, &graph);
  dmd_nesting_destroy(&sizes);
  dmd_heapgraph_destroy(&graph);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_byte_is_the_innermost_blocks),
      cmocka_unit_test(without_nesting_sizes_are_as_they_are),
      cmocka_unit_test(who_reports_a_block_reports_what_is_in_it),
      cmocka_unit_test(of_many_around_a_block_the_nearest_are_kept),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
