/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

#include "model/profile/memreports.h"

static dmd_memreport_t value_of(const char *path, int64_t amount) {
  return (dmd_memreport_t){.path = path,
                           .amount = amount,
                           .times = 1,
                           .kind = DMD_MEMREPORT_HEAP,
                           .units = DMD_MEMREPORT_BYTES};
}

static bool same(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Process, path, kind and units identify a report; an equal one is added to it. Paths are equal if
 * their text is. */
static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 600 };
  static const char *const processes[] = {NULL, "", "p", "q"};
  static const char *const paths[] = {"a", "a/b", "a/b/c", "x y", "\xff", "\xfe"};
  static const char *const descriptions[] = {NULL, "", "One.", "Two."};
  static dmd_memreport_t list[MAX];
  uint32_t n = 0;
  dice_t dice = {55};
  host_t host;
  host_init(&host);
  dmd_memreports_t memreports;
  dmd_memreports_init(&memreports, &host.env);
  for (int step = 0; step < 3000; step++) {
    dmd_memreport_t v = {.process = processes[dice_below(&dice, COUNT_OF(processes))],
                         .path = paths[dice_below(&dice, COUNT_OF(paths))],
                         .description = descriptions[dice_below(&dice, 4)],
                         .amount = (int64_t)dice_below(&dice, 2000) - 1000,
                         .times = 1 + dice_below(&dice, 3),
                         .stack = (uint32_t)step,
                         .kind = (uint32_t)dice_below(&dice, DMD_MEMREPORT_N_KINDS),
                         .units = (uint32_t)dice_below(&dice, DMD_MEMREPORT_N_UNITS)};
    assert_true(dmd_memreports_add(&memreports, &v));
    v.process = v.process != NULL && v.process[0] == '\0' ? NULL : v.process;
    v.description = v.description != NULL && v.description[0] == '\0' ? NULL : v.description;
    if (strcmp(v.path, "\xff") == 0 || strcmp(v.path, "\xfe") == 0)
      v.path = "\xef\xbf\xbd";
    uint32_t i = 0;
    while (i < n && (!same(list[i].process, v.process) || !same(list[i].path, v.path) ||
                     list[i].kind != v.kind || list[i].units != v.units))
      i++;
    if (i == n) {
      list[n++] = v;
    } else {
      list[i].amount += v.amount;
      list[i].times += v.times;
    }
    assert_int_equal(dmd_memreports_count(&memreports), n);
  }
  assert_int_equal(n, 3 * 5 * 3 * 4);
  for (uint32_t i = 0; i < n; i++) {
    dmd_memreport_t v = dmd_memreports_get(&memreports, i + 1);
    assert_true(same(v.process, list[i].process) && same(v.path, list[i].path));
    assert_true(same(v.description, list[i].description));
    assert_int_equal(v.amount, list[i].amount);
    assert_int_equal(v.times, list[i].times);
    assert_true(v.kind == list[i].kind && v.units == list[i].units && v.stack == list[i].stack);
  }
  dmd_memreports_destroy(&memreports);
  host_done(&host);
}

static void what_is_refused(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_memreports_t memreports;
  dmd_memreports_init(&memreports, &host.env);
  dmd_memreport_t bad[] = {
      value_of(NULL, 1),
      value_of("", 1),
      value_of("a", DMD_MEMREPORT_MAX_AMOUNT + 1),
      value_of("a", -DMD_MEMREPORT_MAX_AMOUNT - 1),
      value_of("a", INT64_MIN),
      value_of("a", 1),
      value_of("a", 1),
  };
  bad[5].kind = DMD_MEMREPORT_N_KINDS;
  bad[6].units = (uint32_t)-1;
  for (size_t i = 0; i < COUNT_OF(bad); i++)
    assert_false(dmd_memreports_add(&memreports, &bad[i]));
  assert_int_equal(dmd_memreports_count(&memreports), 0);
  dmd_memreports_destroy(&memreports);
  host_done(&host);
}

/* Sums saturate where readers would no longer count exactly, and come back from there. */
static void sums_stop(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_memreports_t memreports;
  dmd_memreports_init(&memreports, &host.env);
  const int64_t max = DMD_MEMREPORT_MAX_AMOUNT;
  const struct {
    int64_t amount, sum;
  } steps[] = {{max - 1, max - 1}, {1, max},   {1, max},     {max, max},
               {-1, max - 1},      {-max, -1}, {-max, -max}, {-max, -max},
               {5, 5 - max},       {max, 5},   {-6, -1}};
  for (size_t i = 0; i < COUNT_OF(steps); i++) {
    dmd_memreport_t v = value_of("a", steps[i].amount);
    v.times = i == 5 ? (uint64_t)max : 1;
    assert_true(dmd_memreports_add(&memreports, &v));
    assert_int_equal(dmd_memreports_at(&memreports, 1)->amount, steps[i].sum);
    assert_int_equal(dmd_memreports_at(&memreports, 1)->times, i < 5 ? i + 1 : (uint64_t)max);
  }
  dmd_memreports_destroy(&memreports);
  host_done(&host);
}

static void there_is_a_limit(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_memreports_t memreports;
  dmd_memreports_init(&memreports, &host.env);
  char path[32];
  for (int i = 0; i < DMD_MAX_MEMORY_REPORTS + 10; i++) {
    snprintf(path, sizeof path, "%d", i);
    dmd_memreport_t v = value_of(path, 1);
    assert_int_equal(dmd_memreports_add(&memreports, &v), i < DMD_MAX_MEMORY_REPORTS);
  }
  dmd_memreport_t known = value_of("0", 1);
  assert_true(dmd_memreports_add(&memreports, &known));
  assert_int_equal(dmd_memreports_at(&memreports, 1)->amount, 2);
  dmd_memreports_clear(&memreports);
  assert_int_equal(dmd_memreports_count(&memreports), 0);
  assert_true(dmd_memreports_add(&memreports, &known));
  assert_int_equal(dmd_memreports_at(&memreports, 1)->amount, 1);
  dmd_memreports_destroy(&memreports);
  host_done(&host);
}

/* The strings of published values take little memory beyond their bytes. */
static void text_has_a_limit(void **state) {
  (void)state;
  enum { LENGTH = 100000 };
  host_t host;
  host_init(&host);
  dmd_memreports_t memreports;
  dmd_memreports_init(&memreports, &host.env);
  char *path = malloc(LENGTH + 1);
  memset(path, 'x', LENGTH);
  path[LENGTH] = '\0';
  size_t kept = 0;
  for (int i = 0; i < 1000; i++) {
    dmd_memreport_t v = value_of(path, 1);
    path[snprintf(path, LENGTH, "%d", i)] = 'x';
    kept += dmd_memreports_add(&memreports, &v);
  }
  free(path);
  assert_int_equal(kept, DMD_MAX_MEMORY_REPORT_TEXT / (LENGTH + 1) + 1);
  assert_true(host.szB < 1.1 * DMD_MAX_MEMORY_REPORT_TEXT);
  dmd_memreports_clear(&memreports);
  assert_true(host.szB < LENGTH);
  dmd_memreports_destroy(&memreports);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_memreports_t memreports;
  dmd_memreports_init(&memreports, &host->env);
  char path[32];
  for (int i = 0; i < 100; i++) {
    snprintf(path, sizeof path, "%d", i % 60);
    dmd_memreport_t v = value_of(path, i);
    v.description = "Some.";
    dmd_memreports_add(&memreports, &v);
    if (i == 90)
      dmd_memreports_clear(&memreports);
  }
  dmd_memreports_destroy(&memreports);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

static void names(void **state) {
  (void)state;
  assert_string_equal(dmd_memreport_kind_name(DMD_MEMREPORT_NONHEAP), "nonheap");
  assert_string_equal(dmd_memreport_kind_name(DMD_MEMREPORT_HEAP), "heap");
  assert_string_equal(dmd_memreport_kind_name(DMD_MEMREPORT_OTHER), "other");
  assert_string_equal(dmd_memreport_units_name(DMD_MEMREPORT_BYTES), "bytes");
  assert_string_equal(dmd_memreport_units_name(DMD_MEMREPORT_COUNT), "count");
  assert_string_equal(dmd_memreport_units_name(DMD_MEMREPORT_CUMULATIVE), "count-cumulative");
  assert_string_equal(dmd_memreport_units_name(DMD_MEMREPORT_PERCENTAGE), "percentage");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(sums_stop),
      cmocka_unit_test(there_is_a_limit),
      cmocka_unit_test(text_has_a_limit),
      cmocka_unit_test(names),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
