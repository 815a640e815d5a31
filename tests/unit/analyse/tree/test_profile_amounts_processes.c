/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Profiles of processes, merged and taken apart again. */
#include "fixture.h"

#include "analyse/transform/merge.h"
#include "analyse/tree/profile_amounts.h"

enum { PROCESSES = 3 };

static uint64_t n_bytes(const dmd_profile_t *p) {
  uint64_t bytes = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&p->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&p->groups, id);
    bytes += g->num * (g->req + g->slop);
  }
  return bytes;
}

static void publish(dmd_profile_t *p, const char *process, const char *path) {
  dmd_memreport_t report = {.process = process, .path = path, .amount = 1, .times = 1};
  assert_true(dmd_memreports_add(&p->memreports, &report));
}

/* The profile of the process with this number: so many hundred bytes, half of them from no stack.
 */
static void fill(dmd_profile_t *p, uint32_t number) {
  p->run.is_known = true;
  p->memory.resident = 1000 * number;
  build_blocks(p, number, 50, 0, "new|main", DMD_NONE);
  dmd_groups_add(&p->groups, &(dmd_group_t){.req = 50, .num = number, .thread = 1});
  for (uint32_t i = 0; i < number; i++) {
    char path[] = "a0";
    path[1] = (char)('0' + i);
    publish(p, NULL, path);
  }
}

static const char *const names[PROCESSES] = {"app (pid 1)", "app (pid 2)", "app (pid 3)"};

static void merge_all(dmd_merge_t *merge, const dmd_env_t *env) {
  dmd_merge_init(merge, env);
  for (uint32_t i = 0; i < PROCESSES; i++) {
    dmd_profile_t p;
    dmd_profile_init(&p, env);
    fill(&p, i + 1);
    assert_true(dmd_merge_add(merge, &p, names[i]));
    dmd_profile_destroy(&p);
  }
}

static void expect_part(const dmd_profile_t *part, uint32_t number) {
  char *name = dmd_process_name(part);
  assert_string_equal(name, names[number - 1]);
  dmd_env_free(part->env, name);
  assert_int_equal(n_bytes(part), 100 * number);
  assert_int_equal(part->memory.resident, 1000 * number);
  assert_true(part->memory.heap_overhead == DMD_MEMORY_UNKNOWN);
  assert_int_equal(dmd_memreports_count(&part->memreports), number);
  for (uint32_t id = 1; id <= number; id++)
    assert_null(dmd_memreports_get(&part->memreports, id).process);
}

static void as_they_were(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_merge_t merge;
  merge_all(&merge, &host.env);
  size_t n;
  dmd_profile_t *parts = dmd_processes_split(&merge.profile, &n);
  assert_int_equal(n, PROCESSES);
  for (uint32_t i = 0; i < PROCESSES; i++)
    expect_part(&parts[i], i + 1);
  dmd_processes_free(parts, n);
  dmd_merge_destroy(&merge);
  host_done(&host);
}

/* Processes that are merged again stay apart, beside a process that is merged for the first time.
 * Values published for another process keep that process's name. */
static void merged_again(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_merge_t merge, again;
  merge_all(&merge, &host.env);
  dmd_merge_init(&again, &host.env);
  dmd_profile_t other;
  dmd_profile_init(&other, &host.env);
  build_blocks(&other, 1, 7, 0, "new|main", DMD_NONE);
  publish(&other, "child", "b");
  assert_true(dmd_merge_add(&again, &merge.profile, "merged"));
  assert_true(dmd_merge_add(&again, &other, NULL));
  size_t n;
  dmd_profile_t *parts = dmd_processes_split(&again.profile, &n);
  assert_int_equal(n, PROCESSES + 1);
  for (uint32_t i = 1; i < PROCESSES; i++)
    expect_part(&parts[i], i + 1);
  assert_int_equal(n_bytes(&parts[0]), 100);
  assert_int_equal(dmd_memreports_count(&parts[0].memreports), 2);
  assert_string_equal(dmd_memreports_get(&parts[0].memreports, 2).process, "child");
  assert_int_equal(n_bytes(&parts[PROCESSES]), 7);
  dmd_processes_free(parts, n);
  dmd_profile_destroy(&other);
  dmd_merge_destroy(&again);
  dmd_merge_destroy(&merge);
  host_done(&host);
}

/* Two dumps of one process are one process; a value that only one of them has is unknown. */
static void the_same_process_twice(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_profile_t p;
  dmd_profile_init(&p, &host.env);
  dmd_footprint_t one = {1, 2, 3, DMD_MEMORY_UNKNOWN}, two = {10, DMD_MEMORY_UNKNOWN, 30, 40};
  dmd_profile_add_process(&p, "app", &one);
  dmd_profile_add_process(&p, "app", &two);
  assert_int_equal(dmd_intern_count(&p.processes), 1);
  const dmd_footprint_t *sum = dmd_profile_process_memory(&p, 1);
  assert_true(sum->heap_allocated == 11 && sum->resident == 33);
  assert_true(sum->heap_overhead == DMD_MEMORY_UNKNOWN);
  assert_true(sum->resident_unique == DMD_MEMORY_UNKNOWN);
  dmd_profile_destroy(&p);
  host_done(&host);
}

static void none_kept(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_profile_t p;
  dmd_profile_init(&p, &host.env);
  fill(&p, 1);
  size_t n = 9;
  assert_null(dmd_processes_split(&p, &n));
  assert_int_equal(n, 0);
  dmd_processes_free(NULL, 0);
  dmd_profile_destroy(&p);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_merge_t merge;
  merge_all(&merge, &host->env);
  size_t n;
  dmd_profile_t *parts = dmd_processes_split(&merge.profile, &n);
  dmd_processes_free(parts, n);
  dmd_merge_destroy(&merge);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_they_were),           cmocka_unit_test(merged_again),
      cmocka_unit_test(the_same_process_twice), cmocka_unit_test(none_kept),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
