/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "census_fixture.h"

#include "fixture.h"
#include "show/text/text_graph.h"

#include <stdio.h>

enum { GRAPHS = 150 };

/* Any keys, each once. */
static dmd_census_by_t throw_keys(dice_t *dice) {
  dmd_census_by_t by = {.n = 1 + (uint32_t)dice_below(dice, 3)};
  for (uint32_t i = 0; i < by.n; i++)
    by.keys[i] = (dmd_nodekey_t)(dice_below(dice, DMD_N_KEYS / 3) * 3 + i);
  return by;
}

/* ---- Rows against a walk through all blocks for each. ---- */

typedef struct {
  int64_t blocks, szB, slop;
} sums_t;

/* Whether a block has the names of a row and of those that it is in. */
static bool is_in(keyed_t *keyed, const dmd_census_t *census, const dmd_census_row_t *row,
                  uint32_t node) {
  for (;;) {
    const char *name = keyed_name(keyed, dmd_census_key(census, row), node);
    if (strcmp(name, dmd_census_name(census, row)) != 0)
      return false;
    if (row->parent == DMD_NONE)
      return true;
    row = DMD_POOL_AT(&census->rows, const dmd_census_row_t, row->parent);
  }
}

/* Adds up a row's blocks (all blocks if the row is NULL) that pass the filter (all if NULL). */
static void add_slowly(sums_t *sums, keyed_t *keyed, const dmd_census_t *census,
                       const dmd_census_row_t *row, const dmd_nodefilter_t *filter, int sign) {
  dmd_nesting_sizes_t sizes;
  const dmd_heapgraph_t *graph = &keyed->graph;
  dmd_nesting_init(&sizes, graph);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    if (row != NULL && !is_in(keyed, census, row, node))
      continue;
    if (filter != NULL &&
        (strstr(keyed_name(keyed, filter->key, node), filter->text) != NULL) == filter->negated)
      continue;
    dmd_own_size_t own = dmd_nesting_own(&sizes, node);
    sums->blocks += sign;
    sums->szB += sign * (int64_t)own.szB;
    sums->slop += sign * (int64_t)own.slop;
  }
  dmd_nesting_destroy(&sizes);
}

static void assert_row(const dmd_census_row_t *row, const sums_t *sums) {
  assert_int_equal(row->blocks, sums->blocks);
  assert_int_equal(row->szB, sums->szB);
  assert_int_equal(row->slop, sums->slop);
}

/* The sum of a row's children is the row's own, and the largest come first. Returns how many there
 * are. */
static uint32_t check_sums(const dmd_census_t *census, const dmd_census_row_t *outer) {
  sums_t sums = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < outer->n; i++) {
    const dmd_census_row_t *row = dmd_census_at(census, outer, i);
    sums.blocks += row->blocks;
    sums.szB += row->szB;
    sums.slop += row->slop;
    n += 1 + check_sums(census, row);
    if (i > 0)
      assert_true(llabs(dmd_census_at(census, outer, i - 1)->szB) >= llabs(row->szB));
  }
  if (outer->n > 0)
    assert_row(outer, &sums);
  return n;
}

/* The census of one graph, or of the difference of two. */
static uint32_t check_census(const dmd_census_t *census, keyed_t *new, keyed_t *old,
                             const dmd_nodefilter_t *filter) {
  sums_t total = {0};
  add_slowly(&total, new, census, NULL, filter, 1);
  if (old != NULL)
    add_slowly(&total, old, census, NULL, filter, -1);
  assert_row(&census->total, &total);
  uint32_t n_with_something = 0;
  for (uint32_t id = 1; id <= census->rows.last; id++) {
    const dmd_census_row_t *row = DMD_POOL_AT(&census->rows, const dmd_census_row_t, id);
    sums_t sums = {0};
    add_slowly(&sums, new, census, row, filter, 1);
    if (old != NULL)
      add_slowly(&sums, old, census, row, filter, -1);
    assert_row(row, &sums);
    n_with_something += row->blocks != 0 || row->szB != 0 || row->slop != 0;
  }
  uint32_t n_shown = check_sums(census, &census->total);
  assert_true(n_shown >= n_with_something && n_shown <= census->rows.last);
  return census->rows.last;
}

static void random_against_a_walk(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {31};
  uint32_t n_rows = 0;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    keyed_t keyed;
    dmd_census_t census;
    dmd_nodefilter_t filter;
    bool filtered = i % 3 == 0;
    static const char *const filters[] = {"main", "!reporter=explicit/a", "type=from",
                                          "!x",   "size=to 64",           "state=once"};
    keyed_random(&keyed, &host.env, &dice);
    dmd_census_by_t by = throw_keys(&dice);
    dmd_nodefilter_init(&filter, &host.env, filters[dice_below(&dice, COUNT_OF(filters))]);
    dmd_census_init(&census, &host.env, &by);
    dmd_census_add(&census, &keyed.keys, &filter, filtered, 1);
    dmd_census_finish(&census);
    n_rows += check_census(&census, &keyed, NULL, filtered ? &filter : NULL);
    dmd_census_destroy(&census);
    dmd_nodefilter_destroy(&filter);
    keyed_end(&keyed);
  }
  assert_true(n_rows > 5 * GRAPHS);
  host_done(&host);
}

static void random_differences_against_a_walk(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {77};
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    keyed_t old, new;
    dmd_census_t census;
    keyed_random(&old, &host.env, &dice);
    keyed_random(&new, &host.env, &dice);
    dmd_census_by_t by = throw_keys(&dice);
    dmd_census_init(&census, &host.env, &by);
    dmd_census_add(&census, &old.keys, NULL, 0, -1);
    dmd_census_add(&census, &new.keys, NULL, 0, 1);
    dmd_census_finish(&census);
    check_census(&census, &new, &old, NULL);
    dmd_census_destroy(&census);
    keyed_end(&new);
    keyed_end(&old);
  }
  host_done(&host);
}

static void a_graph_does_not_differ_from_itself(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {3};
  host_init(&host);
  keyed_t keyed;
  dmd_census_t census;
  keyed_random(&keyed, &host.env, &dice);
  dmd_census_by_t by = {.keys = {DMD_KEY_TYPE, DMD_KEY_STACK}, .n = 2};
  dmd_census_init(&census, &host.env, &by);
  dmd_census_add(&census, &keyed.keys, NULL, 0, -1);
  assert_true(census.total.blocks < 0);
  dmd_census_add(&census, &keyed.keys, NULL, 0, 1);
  dmd_census_finish(&census);
  assert_int_equal(census.total.n, 0);
  assert_int_equal(census.total.blocks, 0);
  dmd_census_destroy(&census);
  keyed_end(&keyed);
  host_done(&host);
}

/* ---- Keys. ---- */

static void assert_refused(host_t *host, const char *list, const char *reason) {
  dmd_census_by_t by;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &host->env);
  assert_false(dmd_census_by_parse(&by, list, &why));
  assert_string_equal(why.text, reason);
  dmd_strbuf_destroy(&why);
}

static void keys_are_read(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_census_by_t by;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &host.env);
  assert_true(dmd_census_by_parse(&by, "state,type,root", &why));
  assert_int_equal(by.n, 3);
  assert_int_equal(by.keys[0], DMD_KEY_STATE);
  assert_int_equal(by.keys[1], DMD_KEY_TYPE);
  assert_int_equal(by.keys[2], DMD_KEY_ROOT);
  dmd_strbuf_destroy(&why);
  static const char keys[] = " is not one of type, stack, function, file, library, reporter, "
                             "state, tag, thread, size, root, holder";
  char reason[200];
  snprintf(reason, sizeof reason, "\"\"%s", keys);
  assert_refused(&host, "", reason);
  assert_refused(&host, "type,", reason);
  snprintf(reason, sizeof reason, "\"typ\"%s", keys);
  assert_refused(&host, "typ", reason);
  assert_refused(&host, "tag,type,tag", "tag is given twice");
  assert_refused(&host, "type,stack,function,file,library,reporter,state", "more than 6 keys");
  host_done(&host);
}

/* ---- Output. ---- */

/* A variable that holds two blocks of one function, and a block that nothing holds. */
static void make_heap(keyed_t *keyed, const dmd_env_t *env, uint64_t large) {
  dmd_heapgraph_t *graph = &keyed->graph;
  dmd_heapgraph_init(graph, env, 1, 3, 2);
  graph->profile.run.word_szB = 8;
  dmd_heapgraph_add_root(graph,
                         &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .szB = 16, .name = "jar"});
  dmd_heapgraph_add_edge(graph, 2, 0);
  dmd_heapgraph_add_edge(graph, 3, 8);
  dmd_heapgraph_end_node(graph);
  static const uint64_t addrs[] = {0x100, 0x200, 0x9000};
  const uint64_t sizes[] = {24, large, 40};
  for (uint32_t i = 0; i < 3; i++) {
    dmd_graph_block_t block = {.addr = addrs[i], .slop = 4, .stack = i < 2 ? 1 : 2, .thread = 1};
    dmd_heapgraph_add_block(graph, &block, sizes[i]);
    dmd_heapgraph_end_node(graph);
  }
  static const char *const frames[] = {"malloc (m.c:1)", "knead (new.c:2)", "main (a.c:3)",
                                       "wash (a.c:9)"};
  uint32_t codes[4];
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t frame = dmd_frames_read_text(&graph->profile.frames, frames[i]);
    codes[i] = dmd_heapgraph_add_code(graph, DMD_NONE, i, &frame, 1);
  }
  dmd_heapgraph_add_stack(graph, codes, 3);
  dmd_heapgraph_add_stack(graph, codes + 3, 1);
  keyed_begin(keyed, env);
}

static const char *census_text(host_t *host, sink_t *sink, keyed_t *old, keyed_t *new,
                               const char *list, uint32_t max_rows) {
  dmd_census_t census;
  dmd_census_by_t by;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &host->env);
  assert_true(dmd_census_by_parse(&by, list, &why));
  dmd_strbuf_destroy(&why);
  dmd_census_init(&census, &host->env, &by);
  if (old != NULL)
    dmd_census_add(&census, &old->keys, NULL, 0, -1);
  dmd_census_add(&census, &new->keys, NULL, 0, 1);
  dmd_census_finish(&census);
  sink_init(sink);
  if (max_rows == UINT32_MAX)
    dmd_census_json(&sink->out, &census);
  else
    dmd_census_print(&sink->out, &census, 200, max_rows);
  dmd_census_destroy(&census);
  return sink_text(sink);
}

static void a_table(void **state) {
  (void)state;
  host_t host;
  keyed_t keyed;
  sink_t sink;
  host_init(&host);
  make_heap(&keyed, &host.env, 136);
  assert_text_equal(census_text(&host, &sink, NULL, &keyed, "root,stack", 0),
                    "          bytes  of heap         blocks           slop  root, stack\n"
                    "            200  100.00%              3             12  in all\n"
                    "            160   80.00%              2              8  jar\n"
                    "            160   80.00%              2              8    malloc (m.c:1)\n"
                    "                                                          knead (new.c:2)\n"
                    "                                                          main (a.c:3)\n"
                    "             40   20.00%              1              4  (lost)\n"
                    "             40   20.00%              1              4    wash (a.c:9)\n");
  sink_free(&sink);
  assert_text_equal(census_text(&host, &sink, NULL, &keyed, "size", 2),
                    "          bytes  of heap         blocks           slop  size\n"
                    "            200  100.00%              3             12  in all\n"
                    "            136   68.00%              1              4  129 to 256 bytes\n"
                    "             40   20.00%              1              4  33 to 64 bytes\n"
                    "# and 1 more (--max-records=all shows them)\n");
  sink_free(&sink);
  keyed_end(&keyed);
  host_done(&host);
}

static void a_difference(void **state) {
  (void)state;
  host_t host;
  keyed_t old, new;
  sink_t sink;
  host_init(&host);
  make_heap(&old, &host.env, 136);
  make_heap(&new, &host.env, 36);
  assert_text_equal(census_text(&host, &sink, &old, &new, "function", 0),
                    "          bytes  of heap         blocks           slop  function\n"
                    "           -100  -50.00%              0              0  in all\n"
                    "           -100  -50.00%              0              0  knead\n");
  sink_free(&sink);
  keyed_end(&new);
  keyed_end(&old);
  host_done(&host);
}

static void json(void **state) {
  (void)state;
  host_t host;
  keyed_t keyed;
  sink_t sink;
  host_init(&host);
  make_heap(&keyed, &host.env, 136);
  assert_text_equal(
      census_text(&host, &sink, NULL, &keyed, "type,stack", UINT32_MAX),
      "{\n"
      " \"total\": {\"blocks\": 3, \"bytes\": 200, \"slop\": 12},\n"
      " \"rows\": [\n"
      "  {\"key\": {\"type\": \"from knead\"}, \"evidence\": \"function\", \"blocks\": 2, "
      "\"bytes\": 160, \"slop\": 8, \"rows\": [\n"
      "    {\"key\": {\"stack\": [\"malloc (m.c:1)\", \"knead (new.c:2)\", \"main (a.c:3)\"]}, "
      "\"blocks\": 2, \"bytes\": 160, \"slop\": 8}\n"
      "   ]},\n"
      "  {\"key\": {\"type\": \"from wash\"}, \"evidence\": \"function\", \"blocks\": 1, "
      "\"bytes\": 40, \"slop\": 4, \"rows\": [\n"
      "    {\"key\": {\"stack\": [\"wash (a.c:9)\"]}, \"blocks\": 1, \"bytes\": 40, \"slop\": 4}\n"
      "   ]}\n"
      " ]\n"
      "}\n");
  sink_free(&sink);
  keyed_end(&keyed);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  keyed_t keyed;
  dmd_census_t census;
  dmd_nodefilter_t filter;
  const dmd_census_by_t by = {.keys = {DMD_KEY_TYPE, DMD_KEY_ROOT, DMD_KEY_REFERRER}, .n = 3};
  dice_t dice = {*(uint64_t *)arg};
  keyed_random(&keyed, &host->env, &dice);
  dmd_nodefilter_init(&filter, &host->env, "type=from");
  dmd_census_init(&census, &host->env, &by);
  dmd_census_add(&census, &keyed.keys, &filter, 1, 1);
  dmd_census_finish(&census);
  dmd_census_destroy(&census);
  dmd_nodefilter_destroy(&filter);
  keyed_end(&keyed);
}

static void out_of_memory(void **state) {
  (void)state;
  uint64_t seed = 3;
  assert_true(host_fail_everywhere(use, &seed) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_walk),
      cmocka_unit_test(random_differences_against_a_walk),
      cmocka_unit_test(a_graph_does_not_differ_from_itself),
      cmocka_unit_test(keys_are_read),
      cmocka_unit_test(a_table),
      cmocka_unit_test(a_difference),
      cmocka_unit_test(json),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
