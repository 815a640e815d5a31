/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shelf_fixture.h"

static void assert_kind(const shelf_t *s, uint32_t node, const char *expected) {
  assert_string_equal(dmd_kinds_name(&s->kinds, s->kinds.of[node]), expected);
}

static void nodes_of_one_name_are_one_kind(void **state) {
  (void)state;
  shelf_t s;
  shelf_init(&s);
  assert_kind(&s, DMD_GRAPH_ALL, "roots");
  assert_kind(&s, SHELF, "shelf");
  assert_kind(&s, STACK, "stack of thread 1 in main");
  assert_kind(&s, JAR_A, "jar");
  assert_kind(&s, LABEL_B, "char[] from label_new");
  assert_kind(&s, BOX, "from box_new");
  assert_int_equal(s.kinds.of[JAR_A], s.kinds.of[JAR_X]);
  assert_int_equal(s.kinds.of[FIRST_PEN], s.kinds.of[LAST_PEN]);
  assert_string_equal(dmd_kinds_evidence(&s.kinds, s.kinds.of[JAR_B]), "site");
  assert_string_equal(dmd_kinds_evidence(&s.kinds, s.kinds.of[BOX]), "function");
  shelf_done(&s);
}

static void assert_way(shelf_t *s, uint32_t node, uint32_t i, const char *expected) {
  uint32_t way = dmd_kinds_way(&s->kinds, node, s->graph.graph.first[node] + i);
  assert_string_equal(dmd_kinds_name(&s->kinds, way), expected);
}

static void ways_have_no_element_numbers(void **state) {
  (void)state;
  shelf_t s;
  shelf_init(&s);
  assert_way(&s, SHELF, 0, "shelf[]");
  assert_way(&s, JAR_A, 0, "label");
  assert_way(&s, JAR_A, 1, "next");
  assert_way(&s, STACK, 0, "+0x8");
  assert_way(&s, BOX, 0, "+..."); /* more pointers than a structure has */
  assert_way(&s, BOX, 17, "+...");
  assert_int_equal(dmd_kinds_way(&s.kinds, JAR_B, s.graph.graph.first[JAR_B] + 1),
                   dmd_kinds_way(&s.kinds, JAR_X, s.graph.graph.first[JAR_X]));
  shelf_done(&s);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  shelf_t s;
  shelf_build(&s, &host->env);
  dmd_kinds_way(&s.kinds, SHELF, s.graph.graph.first[SHELF]);
  shelf_destroy(&s);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_of_one_name_are_one_kind),
      cmocka_unit_test(ways_have_no_element_numbers),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
