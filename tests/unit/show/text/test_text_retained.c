/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of the dominator tree, as text and JSON. The shelf's heap has 936 usable bytes: box 144,
 * pens 576, jars 120, labels 96.
 */
#include "heap_matrix.h"
#include "shelf_fixture.h"

#include "show/text/text_graph.h"

typedef struct {
  shelf_t shelf;
  dmd_retained_t retained;
  dmd_retainedrows_t rows;
} holding_t;

static void begin_on(holding_t *h, uint32_t max_depth, double min_share,
                     const dmd_bitset_t *chosen) {
  dmd_retained_limits_t limits = {.max_depth = max_depth, .min_share = min_share};
  dmd_retained_init(&h->retained, &h->shelf.graph, &h->shelf.typing);
  dmd_retainedrows_init(&h->rows, &h->retained, &h->shelf.kinds, limits, chosen);
}

static void end(holding_t *h) {
  dmd_retainedrows_destroy(&h->rows);
  dmd_retained_destroy(&h->retained);
}

static void assert_printed(const holding_t *h, bool json, const char *expected) {
  sink_t sink;
  sink_init(&sink);
  (json ? dmd_retained_json : dmd_retained_print)(&sink.out, &h->rows);
  assert_text_equal(sink_text(&sink), expected);
  sink_free(&sink);
}

static void all_from_the_roots_down(void **state) {
  (void)state;
  holding_t h;
  shelf_init(&h.shelf);
  begin_on(&h, 9, 0, NULL);
  assert_printed(
      &h, false,
      "936 bytes in 28 blocks\n"
      "\n"
      "       retained  of heap      blocks      own bytes\n"
      "            720   76.92%           0              0  stack of thread 1 in main\n"
      "            720   76.92%           1            144    +0x8: from box_new\n"
      "            576   61.54%          18            576      +...: from pen_new x 18\n"
      "            144   15.38%           0              0  shelf\n"
      "            144   15.38%           3             72    shelf[]: jar x 3\n"
      "             72    7.69%           3             72      label: char[] from label_new x 3\n"
      "             72    7.69%           2             48  jar x 2 (lost)\n"
      "             24    2.56%           1             24    label: char[] from label_new\n");
  end(&h);
  shelf_done(&h.shelf);
}

/* At most two levels, and rows of at least a tenth of the heap. */
static void small_and_deep_rows_are_left_out(void **state) {
  (void)state;
  holding_t h;
  shelf_init(&h.shelf);
  begin_on(&h, 2, 0.1, NULL);
  assert_printed(&h, false,
                 "936 bytes in 28 blocks\n"
                 "\n"
                 "       retained  of heap      blocks      own bytes\n"
                 "            720   76.92%           0              0  stack of thread 1 in main\n"
                 "            720   76.92%           1            144    +0x8: from box_new\n"
                 "            144   15.38%           0              0  shelf\n"
                 "            144   15.38%           3             72    shelf[]: jar x 3\n"
                 "                                                     (1 smaller row)\n");
  end(&h);
  shelf_done(&h.shelf);
}

/* Jars that other jars retain are in the same row. */
static void what_was_asked_for(void **state) {
  (void)state;
  static const uint32_t jars[] = {JAR_A, JAR_B, JAR_C, JAR_X, JAR_Y};
  holding_t h;
  dmd_bitset_t chosen;
  shelf_init(&h.shelf);
  dmd_bitset_init(&chosen, &h.shelf.host.env, "test", N_SHELF_NODES);
  for (size_t i = 0; i < COUNT_OF(jars); i++)
    dmd_bitset_add(&chosen, jars[i]);
  begin_on(&h, 9, 0, &chosen);
  assert_printed(
      &h, false,
      "120 bytes in 5 blocks; 216 bytes would go with all of them\n"
      "\n"
      "       retained  of heap      blocks      own bytes\n"
      "            216   23.08%           5            120  jar x 5\n"
      "             96   10.26%           4             96    label: char[] from label_new x 4\n");
  end(&h);
  dmd_bitset_destroy(&chosen);
  shelf_done(&h.shelf);
}

/* Without the doubtful pointer, the first block would retain the second too. The printed rows add
 * up all the same. */
static void rows_add_up_whatever_is_doubtful(void **state) {
  (void)state;
  holding_t h;
  host_t host;
  host_init(&host);
  heap_matrix_t m = {.n = 5, .n_roots = 2, .edges = {{0, 1, 1}, {[3] = EDGE_START}}};
  m.edges[2][4] = EDGE_INSIDE;
  m.edges[3][4] = EDGE_START;
  m.requested[3] = 100;
  m.requested[4] = 10;
  heap_matrix_build(&m, &h.shelf.graph, &host.env);
  dmd_types_init(&h.shelf.types, &host.env, 8);
  dmd_typing_init(&h.shelf.typing, &h.shelf.graph, &h.shelf.types);
  dmd_kinds_init(&h.shelf.kinds, &h.shelf.typing);
  begin_on(&h, 1, 0, NULL);
  uint64_t all = 0;
  uint32_t id = dmd_retainedrows_at(&h.rows, DMD_RETAINED_TOP)->first_kid;
  assert_int_equal(dmd_retainedrows_at(&h.rows, id)->retained.all, 100);
  assert_int_equal(dmd_retainedrows_at(&h.rows, id)->retained.least, 100);
  for (; id != DMD_NONE; id = dmd_retainedrows_at(&h.rows, id)->next)
    all += dmd_retainedrows_at(&h.rows, id)->retained.all;
  assert_int_equal(all, 110);
  end(&h);
  shelf_destroy(&h.shelf);
  host_done(&host);
}

static void json_has_the_tree(void **state) {
  (void)state;
  holding_t h;
  shelf_init(&h.shelf);
  begin_on(&h, 2, 0.5, NULL);
  assert_printed(&h, true,
                 "{\n"
                 " \"total\": {\"blocks\": 28, \"bytes\": 936, \"retained\": 936},\n"
                 " \"rows\": [\n"
                 "  {\"held\": \"root\", \"name\": \"stack of thread 1 in main\", "
                 "\"blocks\": 0, \"bytes\": 0, \"retained\": 720, \"rows\": [\n"
                 "    {\"held\": \"member\", \"name\": \"+0x8\", \"type\": \"from box_new\", "
                 "\"evidence\": \"function\", \"address\": \"0x9000\", \"blocks\": 1, "
                 "\"bytes\": 144, \"retained\": 720, \"rows\": []}\n"
                 "   ]}\n"
                 " ]\n"
                 "}\n");
  end(&h);
  shelf_done(&h.shelf);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  holding_t h;
  shelf_build(&h.shelf, &host->env);
  begin_on(&h, 9, 0, NULL);
  end(&h);
  shelf_destroy(&h.shelf);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_from_the_roots_down), cmocka_unit_test(small_and_deep_rows_are_left_out),
      cmocka_unit_test(what_was_asked_for),      cmocka_unit_test(rows_add_up_whatever_is_doubtful),
      cmocka_unit_test(json_has_the_tree),       cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
