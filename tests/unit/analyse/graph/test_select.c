/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shelf_fixture.h"

#include "analyse/graph/select.h"

#include <stdio.h>

/* The selected node numbers, joined by commas, or why the selection failed; in a static buffer. */
static const char *selected(const char *text) {
  static char list[512];
  shelf_t s;
  dmd_records_t records;
  dmd_bitset_t nodes;
  const char *why;
  shelf_init(&s);
  dmd_records_init(&records, &s.graph.profile, 8, DMD_SORT_USABLE);
  dmd_bitset_init(&nodes, &s.host.env, "test", N_SHELF_NODES);
  uint32_t n = dmd_select(&nodes, &s.kinds, &records, text, &why), listed = 0;
  size_t at = 0;
  list[0] = '\0';
  for (uint32_t node = 0; node < N_SHELF_NODES; node++)
    if (dmd_bitset_has(&nodes, node)) {
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%u", at == 0 ? "" : ",", node);
      listed++;
    }
  assert_int_equal(n, listed);
  if (why != NULL)
    snprintf(list, sizeof list, "%s", why);
  dmd_bitset_destroy(&nodes);
  dmd_records_destroy(&records);
  shelf_done(&s);
  return list;
}

/* Nodes: roots 1, 2; jars 3, 4, 5; labels 6, 7, 8; box 9; pens 10 to 27; lost 28, 29, 30. */
static void by_kind_function_and_reporter(void **state) {
  (void)state;
  assert_string_equal(selected("jar"), "3,4,5,28,29");
  assert_string_equal(selected("char"), "6,7,8,30");
  assert_string_equal(selected("char[[]] from label*"), "");
  assert_string_equal(selected("char* from label*"), "6,7,8,30");
  assert_string_equal(selected("box_new"), "9");
  assert_string_equal(selected("shelf"), "1");
  assert_string_equal(selected("explicit/jars"), "3,4,5,6");
  assert_string_equal(selected("explicit"), "3,4,5,6");
  assert_string_equal(selected("expl"), "");
}

static void by_address(void **state) {
  (void)state;
  assert_string_equal(selected("0x3000"), "3");
  assert_string_equal(selected("0x3017"), "3");
  assert_string_equal(selected("0x3018"), "there is no block at this address");
  assert_string_equal(selected("0x30x"), "this is not an address");
}

static void by_report_state(void **state) {
  (void)state;
  assert_string_equal(selected("unreported"),
                      "7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30");
  assert_string_equal(selected("unreported:0"),
                      "this is not a record number; records count from 1, as in unreported:1");
  assert_string_equal(selected("unreported:99"), "there are fewer unreported records");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_kind_function_and_reporter),
      cmocka_unit_test(by_address),
      cmocka_unit_test(by_report_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
