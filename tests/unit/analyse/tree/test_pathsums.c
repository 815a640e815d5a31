/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "analyse/tree/pathsums.h"

static void add(dmd_amounts_t *m, const char *process, const char *path, int64_t amount,
                uint32_t units) {
  const dmd_memreport_t report = {.process = process,
                                  .path = path,
                                  .amount = amount,
                                  .times = 1,
                                  .kind = DMD_MEMREPORT_HEAP,
                                  .units = units};
  assert_null(dmd_amounts_add(m, &report, 0));
}

static void a_sum_has_all_processes_and_what_is_below(void **state) {
  (void)state;
  host_t host;
  dmd_amounts_t m;
  int64_t sum;
  host_init(&host);
  dmd_amounts_init(&m, &host.env, false);
  add(&m, "p", "explicit/a", 1, DMD_MEMREPORT_BYTES);
  add(&m, "q", "explicit/a/x", 20, DMD_MEMREPORT_BYTES);
  add(&m, "q", "explicit/ab", 300, DMD_MEMREPORT_BYTES);
  add(&m, "q", "calls", 7, DMD_MEMREPORT_COUNT);
  assert_true(dmd_pathsum(&m, "explicit/a", &sum));
  assert_int_equal(sum, 21);
  assert_true(dmd_pathsum(&m, "explicit/", &sum));
  assert_int_equal(sum, 321);
  assert_false(dmd_pathsum(&m, "calls", &sum));
  assert_false(dmd_pathsum(&m, "explicit/a/xy", &sum));
  assert_int_equal(sum, 0);
  dmd_amounts_destroy(&m);
  host_done(&host);
}

static void what_grew_most_comes_first(void **state) {
  (void)state;
  static const char *const expected[] = {"c/new", "c/grew", "c/same", "c/gone"};
  host_t host;
  dmd_amounts_t now, before;
  size_t n;
  host_init(&host);
  dmd_amounts_init(&now, &host.env, false);
  dmd_amounts_init(&before, &host.env, false);
  add(&now, "p", "c/grew", 50, DMD_MEMREPORT_BYTES);
  add(&now, "q", "c/grew", 5, DMD_MEMREPORT_BYTES);
  add(&now, "p", "c/same", 900, DMD_MEMREPORT_BYTES);
  add(&now, "p", "c/new", 40, DMD_MEMREPORT_BYTES);
  add(&before, "p", "c/grew", 45, DMD_MEMREPORT_BYTES);
  add(&before, "p", "c/same", 900, DMD_MEMREPORT_BYTES);
  add(&before, "p", "c/gone", 1, DMD_MEMREPORT_BYTES);
  dmd_pathpart_t *parts = dmd_pathparts(&now, &before, "c", &n);
  assert_int_equal(n, 4);
  for (size_t i = 0; i < n; i++)
    assert_string_equal(parts[i].path, expected[i]);
  assert_int_equal(parts[1].now, 55);
  assert_int_equal(parts[1].before, 45);
  dmd_env_free(&host.env, parts);
  dmd_amounts_destroy(&before);
  dmd_amounts_destroy(&now);
  host_done(&host);
}

/* ---- Metrics. ---- */

static void take_metric(void *ctx, dmd_metric_kind_t kind, const char *name, int64_t value) {
  int64_t *sum = ctx;
  if (kind == DMD_METRIC_REPORTER && strcmp(name, "explicit/a") == 0)
    *sum += value;
}

static void work(host_t *host, void *ctx) {
  dmd_amounts_t m;
  size_t n;
  int64_t sum = 0;
  (void)ctx;
  dmd_amounts_init(&m, &host->env, true);
  add(&m, "p", "explicit/a/x", 1, DMD_MEMREPORT_BYTES);
  add(&m, "p", "explicit/a/y", 2, DMD_MEMREPORT_BYTES);
  add(&m, "q", "explicit/a/y", 4, DMD_MEMREPORT_BYTES);
  dmd_env_free(&host->env, dmd_pathparts(&m, NULL, "explicit", &n));
  assert_int_equal(n, 2);
  dmd_pathsums_metrics(&m, dmd_amounts_at(&m, 1)->process, take_metric, &sum);
  assert_int_equal(sum, 3);
  dmd_amounts_destroy(&m);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(work, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sum_has_all_processes_and_what_is_below),
      cmocka_unit_test(what_grew_most_comes_first),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
