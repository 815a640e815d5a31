/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/graph/types.h"

#include <stdio.h>

static void add(dmd_variables_t *v, uint32_t object, const char *name, uint64_t addr, uint64_t szB,
                uint32_t type) {
  dmd_variables_add(v, &(dmd_variable_t){.object = object,
                                         .name = dmd_intern_str(&v->names, name),
                                         .type = type,
                                         .addr = addr,
                                         .szB = szB});
}

/* Appends "name:size " or "-:size " of each part. */
static const char *parts(const dmd_variables_t *v, uint32_t object, uint64_t addr, uint64_t szB) {
  static char text[400];
  size_t n = 0;
  for (uint64_t end = addr + szB; addr < end;) {
    dmd_data_part_t part = dmd_variables_part(v, object, addr, end - addr);
    assert_true(part.szB >= 1 && part.szB <= end - addr);
    const char *name =
        part.variable == NULL ? "-" : dmd_intern_get_str(&v->names, part.variable->name);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s:%d ", name, (int)part.szB);
    addr += part.szB;
  }
  return text;
}

static void data_is_cut_into_variables(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_variables_t v;
  dmd_variables_init(&v, &host.env);
  add(&v, 1, "c", 140, 60, 0);
  add(&v, 1, "a", 100, 8, 0);
  add(&v, 2, "other", 100, 8, 0);
  add(&v, 1, "b", 108, 16, 0);
  add(&v, 1, "nothing", 130, 0, 0);
  add(&v, 1, "around", UINT64_MAX - 4, 8, 0);
  dmd_variables_sort(&v);
  assert_string_equal(parts(&v, 1, 100, 100), "a:8 b:16 -:16 c:60 ");
  assert_string_equal(parts(&v, 1, 90, 40), "-:10 a:8 b:16 -:6 ");
  assert_string_equal(parts(&v, 1, 110, 40), "-:40 "); /* neither b nor c is whole in there */
  assert_string_equal(parts(&v, 2, 96, 16), "-:4 other:8 -:4 ");
  assert_string_equal(parts(&v, 3, 96, 16), "-:16 ");
  dmd_variables_destroy(&v);
  host_done(&host);
}

static void of_two_at_one_place_the_better(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_variables_t v;
  dmd_variables_init(&v, &host.env);
  add(&v, 1, "symbol", 16, 8, 0);
  add(&v, 1, "typed", 16, 8, 3);
  add(&v, 1, "alias", 16, 8, 3);
  add(&v, 1, "small", 32, 4, 0);
  add(&v, 1, "large", 32, 8, 0);
  add(&v, 1, "within", 36, 4, 0);
  dmd_variables_sort(&v);
  assert_string_equal(parts(&v, 1, 16, 32), "typed:8 -:8 large:8 -:8 ");
  dmd_variables_destroy(&v);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_variables_t v;
  dmd_variables_init(&v, &host->env);
  add(&v, 1, "a", 16, 8, 0);
  dmd_variables_sort(&v);
  dmd_variables_destroy(&v);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_is_cut_into_variables),
      cmocka_unit_test(of_two_at_one_place_the_better),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
