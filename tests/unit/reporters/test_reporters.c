/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "host.h"

#include "include/valgrind/dmd-reporters.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  long n, n_program; /* of all reporters; of the program's */
  long long sum;     /* of the program's */
  char last[2000];   /* process, path, kind, units, description, reporter of the program's last */
  long long allocated;
} values_t;

static void take(void *closure, const struct dmd_reporters_value *value) {
  values_t *v = closure;
  v->n++;
  if (strcmp(value->path, "heap-allocated") == 0)
    v->allocated = value->amount;
  if (strcmp(value->reporter, "(allocator)") == 0)
    return;
  v->n_program++;
  v->sum += value->amount;
  snprintf(v->last, sizeof v->last, "%s|%s|%d|%d|%s|%s", value->process, value->path, value->kind,
           value->units, value->description, value->reporter);
}

static values_t collect(int flags) {
  values_t v = {0};
  long n = dmd_reporters_collect(take, &v, flags);
  assert_int_equal(n, v.n);
  return v;
}

static void report(struct dmd_reporters_call *call, const char *path, long long amount) {
  dmd_reporters_report(call, path, DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, amount, NULL);
}

static void measure(struct dmd_reporters_call *call, void *closure) {
  report(call, "explicit/a", *(long long *)closure);
}

/* ---- Tests. ---- */

static void a_reporter_runs_until_it_is_unregistered(void **state) {
  (void)state;
  long long a = 7, b = 8;
  int first = dmd_reporters_register(measure, &a, "first", 0);
  int second = dmd_reporters_register(measure, &b, "second", DMD_REPORTERS_ANY_THREAD);
  assert_true(first > 0 && second > 0 && first != second);
  values_t v = collect(0);
  assert_int_equal(v.sum, 15);
  assert_string_equal(v.last, "|explicit/a|1|0||second");
  dmd_reporters_unregister(first);
  assert_int_equal(collect(0).sum, 8);
  /* An old id does not name the reporter that has its place. */
  int third = dmd_reporters_register(measure, &a, "third", 0);
  dmd_reporters_unregister(first);
  assert_int_equal(collect(0).sum, 15);
  dmd_reporters_unregister(second);
  dmd_reporters_unregister(third);
  dmd_reporters_unregister(0);
  dmd_reporters_unregister(-5);
  assert_int_equal(collect(0).n_program, 0);
}

static void measure_odd(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  dmd_reporters_report(call, NULL, 0, 0, 1, NULL);
  dmd_reporters_report(call, "", 0, 0, 1, NULL);
  dmd_reporters_report(call, "a", 3, 0, 1, NULL);
  dmd_reporters_report(call, "a", -1, 0, 1, NULL);
  dmd_reporters_report(call, "a", 0, 4, 1, NULL);
  dmd_reporters_report(call, "explicit/a", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES, 1, NULL);
  dmd_reporters_report(call, "explicit/a", DMD_REPORTERS_HEAP, DMD_REPORTERS_COUNT, 1, NULL);
  dmd_reporters_report_of(call, "child", "hits", DMD_REPORTERS_OTHER,
                          DMD_REPORTERS_COUNT_CUMULATIVE, -3, "So many.");
}

static void values_that_cannot_be_right_are_refused(void **state) {
  (void)state;
  int id = dmd_reporters_register(measure_odd, NULL, "odd", 0);
  values_t v = collect(0);
  assert_int_equal(v.n_program, 1);
  assert_string_equal(v.last, "child|hits|2|2|So many.|odd");
  dmd_reporters_unregister(id);
}

static void measure_name(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  report(call, dmd_reporters_is_anonymized(call) ? "explicit/anonymous" : "explicit/secret", 1);
}

static void a_reporter_learns_to_be_anonymous(void **state) {
  (void)state;
  int id = dmd_reporters_register(measure_name, NULL, NULL, 0);
  assert_string_equal(collect(0).last, "|explicit/secret|1|0||");
  assert_string_equal(collect(DMD_REPORTERS_ANONYMIZE).last, "|explicit/anonymous|1|0||");
  dmd_reporters_unregister(id);
}

/* ---- OpenMetrics. ---- */

typedef struct {
  char text[20000];
  size_t n, room; /* room: writes beyond it fail */
} written_t;

static int write_some(void *closure, const char *text, size_t n) {
  written_t *w = closure;
  if (w->n + n >= w->room)
    return 1;
  memcpy(w->text + w->n, text, n);
  w->n += n;
  w->text[w->n] = '\0';
  return 0;
}

static void measure_series(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  report(call, "explicit/twice", 3);
  dmd_reporters_report(call, "hits", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT_CUMULATIVE, 5, NULL);
  dmd_reporters_report(call, "full", DMD_REPORTERS_OTHER, DMD_REPORTERS_PERCENTAGE, -12345, NULL);
  report(call, "explicit/twice", 4);
  dmd_reporters_report_of(call, "a \"child\"", "odd\\\n\xc3\xa9\xff\xed\xa0\x80",
                          DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, 6, NULL);
}

static void openmetrics(void **state) {
  (void)state;
  static written_t w;
  int id = dmd_reporters_register(measure_series, NULL, "series", 0);
  w.room = sizeof w.text;
  long n = dmd_reporters_openmetrics(write_some, &w), lines = 0;
  for (const char *at = w.text; (at = strchr(at, '\n')) != NULL; at++)
    lines += at[1] != '#' && at[1] != '\0';
  assert_int_equal(lines, n);
  assert_non_null(strstr(w.text, "\ndmd_memory_bytes{path=\"explicit/twice\",kind=\"heap\"} 7\n"));
  assert_non_null(strstr(w.text, "# HELP dmd_memory_events Counts that only grow.\n"
                                 "dmd_memory_events{path=\"hits\",kind=\"other\"} 5\n"));
  assert_non_null(strstr(w.text, "\ndmd_memory_ratio{path=\"full\",kind=\"other\"} -1.2345\n"));
  assert_non_null(strstr(w.text, "\ndmd_memory_items{process=\"a \\\"child\\\"\","
                                 "path=\"odd\\\\?\xc3\xa9????\",kind=\"other\"} 6\n"));
  assert_string_equal(w.text + w.n - 6, "# EOF\n");
  assert_int_equal(strncmp(w.text, "# TYPE dmd_memory_bytes gauge\n", 30), 0);
  w.n = 0;
  w.room = 300;
  assert_int_equal(dmd_reporters_openmetrics(write_some, &w), -1);
  dmd_reporters_unregister(id);
}

static void measure_huge(struct dmd_reporters_call *call, void *closure) {
  char path[900];
  memset(path, 'a', sizeof path - 1);
  for (int i = 0; i < 20000; i++) {
    snprintf(path, sizeof path, "%0800d", i);
    dmd_reporters_report(call, path, DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, 1, NULL);
  }
  (void)closure;
}

/* 16 MB of paths: neither memory without end, nor half an answer. */
static void openmetrics_has_an_end(void **state) {
  (void)state;
  static written_t w;
  w.room = sizeof w.text;
  int id = dmd_reporters_register(measure_huge, NULL, "huge", 0);
  assert_int_equal(dmd_reporters_openmetrics(write_some, &w), -1);
  assert_int_equal(w.n, 0);
  dmd_reporters_unregister(id);
}

static int g_own_id, g_nested_id;
static long long g_five = 5;

static void measure_recursively(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  assert_int_equal(dmd_reporters_collect(take, NULL, 0), -1);
  dmd_reporters_poll();
  g_nested_id = dmd_reporters_register(measure, &g_five, "nested", 0);
  dmd_reporters_unregister(g_own_id);
  report(call, "explicit/recursive", 1);
}

static void reporters_register_and_unregister(void **state) {
  (void)state;
  g_own_id = dmd_reporters_register(measure_recursively, NULL, "recursive", 0);
  assert_int_equal(collect(0).sum, 6); /* the nested one has a later place */
  assert_int_equal(collect(0).sum, 5);
  dmd_reporters_unregister(g_nested_id);
}

static void the_table_has_an_end(void **state) {
  (void)state;
  static int ids[DMD_REPORTERS_MAX];
  for (int i = 0; i < DMD_REPORTERS_MAX; i++)
    assert_true((ids[i] = dmd_reporters_register(measure, &g_five, "one of many", 0)) > 0);
  assert_int_equal(dmd_reporters_register(measure, &g_five, "too many", 0), 0);
  assert_int_equal(collect(0).sum, 5 * DMD_REPORTERS_MAX);
  for (int i = 0; i < DMD_REPORTERS_MAX; i++)
    dmd_reporters_unregister(ids[i]);
  assert_int_equal(collect(0).n_program, 0);
}

/* ---- Costs. ---- */

static void measure_many(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  for (int i = 0; i < 20; i++) {
    char path[64];
    snprintf(path, sizeof path, "explicit/many/part-%d", i);
    dmd_reporters_report(call, path, DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, i, "One of many.");
  }
}

static void a_collection_allocates_nothing_and_is_fast(void **state) {
  (void)state;
  int ids[500];
  for (int i = 0; i < 500; i++)
    ids[i] = dmd_reporters_register(measure_many, NULL, "many", 0);
  collect(0);
  struct timespec begin, end;
  struct mallinfo2 before = mallinfo2();
  clock_gettime(CLOCK_MONOTONIC, &begin);
  values_t v = collect(0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  struct mallinfo2 after = mallinfo2();
  assert_int_equal(v.n_program, 10000);
  assert_int_equal(before.uordblks, after.uordblks);
  assert_int_equal(before.hblkhd, after.hblkhd);
  double ms =
      (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
  assert_true(ms < 200); /* about 3 on an idle machine */
  for (int i = 0; i < 500; i++)
    dmd_reporters_unregister(ids[i]);
}

/* With a sanitizer's allocator, glibc's has nothing to say. */
static void heap_allocated_is_what_the_allocator_says(void **state) {
  (void)state;
  long long before = collect(0).allocated;
  void *volatile block = malloc(10 << 20); /* volatile: compilers drop unused blocks */
  long long after = collect(0).allocated;
  struct mallinfo2 m = mallinfo2();
  free(block);
  if (m.arena == 0)
    skip();
  assert_int_equal(after, m.uordblks + m.hblkhd);
  assert_in_range(after - before, 10 << 20, (10 << 20) + 8192);
}

/* ---- Other threads and processes. ---- */

static pthread_barrier_t g_inside;
static int g_has_ended;

static void measure_slowly(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  pthread_barrier_wait(&g_inside);
  usleep(50000);
  report(call, "explicit/slow", 1);
  __atomic_store_n(&g_has_ended, 1, __ATOMIC_SEQ_CST);
}

static void *collect_slowly(void *arg) {
  collect(0);
  return arg;
}

static void unregister_waits_for_the_end(void **state) {
  (void)state;
  pthread_t thread;
  pthread_barrier_init(&g_inside, NULL, 2);
  int id = dmd_reporters_register(measure_slowly, NULL, "slow", 0);
  pthread_create(&thread, NULL, collect_slowly, NULL);
  pthread_barrier_wait(&g_inside);
  dmd_reporters_unregister(id);
  assert_int_equal(__atomic_load_n(&g_has_ended, __ATOMIC_SEQ_CST), 1);
  pthread_join(thread, NULL);
}

/* The child gets the reporters, not the collection that another thread was in. */
static void a_child_starts_clean(void **state) {
  (void)state;
  pthread_t thread;
  int slow = dmd_reporters_register(measure_slowly, NULL, "slow", 0), status;
  int id = dmd_reporters_register(measure, &g_five, "five", 0);
  pthread_create(&thread, NULL, collect_slowly, NULL);
  pthread_barrier_wait(&g_inside);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    dmd_reporters_unregister(slow);
    _exit(collect(0).sum == 5 && dmd_reporters_start(DMD_REPORTERS_THREAD) == 0 ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  pthread_join(thread, NULL);
  dmd_reporters_unregister(slow);
  dmd_reporters_unregister(id);
}

static void handle(int number) {
  (void)number;
}

static void the_programs_own_handler_stays(void **state) {
  (void)state;
  signal(59, handle);
  assert_int_equal(dmd_reporters_start(0), EBUSY);
  signal(59, SIG_DFL);
  assert_int_equal(dmd_reporters_start(DMD_REPORTERS_THREAD), 0);
  assert_int_equal(dmd_reporters_start(DMD_REPORTERS_THREAD), 0);
  dmd_reporters_stop();
  dmd_reporters_stop();
  raise(59); /* ignored */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reporter_runs_until_it_is_unregistered),
      cmocka_unit_test(values_that_cannot_be_right_are_refused),
      cmocka_unit_test(a_reporter_learns_to_be_anonymous),
      cmocka_unit_test(openmetrics),
      cmocka_unit_test(openmetrics_has_an_end),
      cmocka_unit_test(reporters_register_and_unregister),
      cmocka_unit_test(the_table_has_an_end),
      cmocka_unit_test(a_collection_allocates_nothing_and_is_fast),
      cmocka_unit_test(heap_allocated_is_what_the_allocator_says),
      cmocka_unit_test(unregister_waits_for_the_end),
      cmocka_unit_test(a_child_starts_clean),
      cmocka_unit_test(the_programs_own_handler_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
