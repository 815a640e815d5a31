/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of leaks, as text and JSON. On the shelf, jar X is definitely lost; jar Y and its label are
 * lost with it.
 */
#include "shelf_fixture.h"

#include "show/text/text_graph.h"

typedef struct {
  shelf_t shelf;
  dmd_leaks_t leaks;
  dmd_records_t records;
  dmd_leakrows_t rows;
} leaking_t;

static void begin_on(leaking_t *l, const uint32_t *ignored_by) {
  dmd_leaks_init(&l->leaks, &l->shelf.graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_records_init(&l->records, &l->shelf.graph.profile, 2, DMD_SORT_USABLE);
  dmd_leakrows_init(&l->rows, &l->leaks, &l->shelf.kinds, &l->records, ignored_by, NULL);
}

static void end(leaking_t *l) {
  dmd_leakrows_destroy(&l->rows);
  dmd_records_destroy(&l->records);
  dmd_leaks_destroy(&l->leaks);
}

enum {
  LOST = 1 << DMD_LEAK_DEFINITELY | 1 << DMD_LEAK_INDIRECTLY,
  ALL = LOST | 1 << DMD_LEAK_POSSIBLY | 1 << DMD_LEAK_REACHABLE
};

static void assert_printed(leaking_t *l, bool json, unsigned states, uint32_t max_rows,
                           const char *expected) {
  sink_t sink;
  sink_init(&sink);
  dmd_leaks_view_t view = {
      .rows = &l->rows, .kinds = &l->shelf.kinds, .states = states, .max_rows = max_rows};
  (json ? dmd_leaks_json : dmd_leaks_print)(&sink.out, &view);
  assert_text_equal(sink_text(&sink), expected);
  sink_free(&sink);
}

/* Reachable: 3 jars of 24, 3 labels of 10, a box of 144, 18 pens of 32: 822 bytes. */
#define SUMS                                                                                       \
  "Leaks {\n"                                                                                      \
  "  Definitely lost: 24 bytes in 1 block\n"                                                       \
  "  Indirectly lost: 34 bytes in 2 blocks\n"                                                      \
  "  Possibly lost: 0 bytes in 0 blocks\n"                                                         \
  "  Still reachable: 822 bytes in 25 blocks\n"                                                    \
  "}\n"

#define LOST_JAR                                                                                   \
  "Definitely lost {\n"                                                                            \
  "  24 bytes in 1 block: jar\n"                                                                   \
  "  34 bytes in 2 blocks hang on it\n"                                                            \
  "  Allocated at {\n"                                                                             \
  "    #01: malloc (vg.c:1)\n"                                                                     \
  "    #02: jar_new (shelf.c:10)\n"                                                                \
  "  }\n"                                                                                          \
  "}\n"                                                                                            \
  "\n"

#define HANGING_JAR                                                                                \
  "Indirectly lost {\n"                                                                            \
  "  24 bytes in 1 block: jar\n"                                                                   \
  "  Allocated at {\n"                                                                             \
  "    #01: malloc (vg.c:1)\n"                                                                     \
  "    #02: jar_new (shelf.c:10)\n"                                                                \
  "  }\n"                                                                                          \
  "}\n"                                                                                            \
  "\n"

static void text_of_what_is_lost(void **state) {
  (void)state;
  leaking_t l;
  shelf_init(&l.shelf);
  begin_on(&l, NULL);
  assert_printed(&l, false, 1 << DMD_LEAK_DEFINITELY, 0, LOST_JAR SUMS);
  assert_printed(&l, false, LOST, 1,
                 LOST_JAR HANGING_JAR "# and 1 more record (--max-records=all shows them)\n"
                                      "\n" SUMS);
  end(&l);
  shelf_done(&l.shelf);
}

static void the_reachable_are_rows_too(void **state) {
  (void)state;
  leaking_t l;
  shelf_init(&l.shelf);
  begin_on(&l, NULL);
  /* jar, jar, label; pens 576, box 144, jars 72, labels 30 */
  static const uint64_t bytes[] = {24, 24, 10, 576, 144, 72, 30};
  assert_int_equal(dmd_leakrows_count(&l.rows), COUNT_OF(bytes));
  for (uint32_t i = 0; i < COUNT_OF(bytes); i++)
    assert_int_equal(dmd_leakrows_at(&l.rows, i)->own.bytes, bytes[i]);
  end(&l);
  shelf_done(&l.shelf);
}

/* All labels are ignored: the lost one counts neither by itself nor with the jar it hangs on. */
static void ignored_stacks_are_a_sum_of_their_own(void **state) {
  (void)state;
  leaking_t l;
  shelf_init(&l.shelf);
  uint32_t ignored_by[8] = {0};
  const dmd_graph_block_t *label = dmd_heapgraph_block(&l.shelf.graph, LABEL_Y);
  uint32_t stack = dmd_heapgraph_profile_stack(&l.shelf.graph, label->stack);
  assert_in_range(stack, 1, COUNT_OF(ignored_by) - 1);
  ignored_by[stack] = 1;
  begin_on(&l, ignored_by);
  assert_int_equal(l.rows.ignored.blocks, 4);
  assert_int_equal(l.rows.ignored.bytes, 40);
  assert_int_equal(l.rows.total[DMD_LEAK_INDIRECTLY].bytes, 24);
  assert_int_equal(l.rows.total[DMD_LEAK_REACHABLE].bytes, 792);
  end(&l);
  shelf_done(&l.shelf);
}

static void json_of_what_is_lost(void **state) {
  (void)state;
  leaking_t l;
  shelf_init(&l.shelf);
  begin_on(&l, NULL);
  assert_printed(
      &l, true, 1 << DMD_LEAK_DEFINITELY, 0,
      "{\n"
      " \"definitely\": {\"blocks\": 1, \"bytes\": 24},\n"
      " \"indirectly\": {\"blocks\": 2, \"bytes\": 34},\n"
      " \"possibly\": {\"blocks\": 0, \"bytes\": 0},\n"
      " \"reachable\": {\"blocks\": 25, \"bytes\": 822},\n"
      " \"ignored\": {\"blocks\": 0, \"bytes\": 0},\n"
      " \"rows\": [\n"
      "  {\"state\": \"definitely\", \"type\": \"jar\", \"evidence\": \"site\", \"blocks\": 1, "
      "\"bytes\": 24, \"hangingBlocks\": 2, \"hangingBytes\": 34, \"allocatedAt\": "
      "[\"malloc (vg.c:1)\", \"jar_new (shelf.c:10)\"]}\n"
      " ]\n"
      "}\n");
  end(&l);
  shelf_done(&l.shelf);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  leaking_t l;
  shelf_build(&l.shelf, &host->env);
  begin_on(&l, NULL);
  end(&l);
  shelf_destroy(&l.shelf);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_of_what_is_lost),
      cmocka_unit_test(the_reachable_are_rows_too),
      cmocka_unit_test(ignored_stacks_are_a_sum_of_their_own),
      cmocka_unit_test(json_of_what_is_lost),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
