/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "analyse/tree/amounts.h"
#include "analyse/tree/tree.h"
#include "show/text/text_tree.h"

#include <stdio.h>

/* ---- Values. ---- */

static void assert_amount(int64_t amount, dmd_memreport_units_t units, bool verbose,
                          const char *expected) {
  char buf[DMD_AMOUNT_MAX];
  size_t n = dmd_format_amount(buf, amount, units, verbose);
  assert_string_equal(buf, expected);
  assert_int_equal(n, strlen(expected));
}

static void amounts(void **state) {
  (void)state;
  assert_amount(0, DMD_MEMREPORT_BYTES, false, "0.00 MB");
  assert_amount(1048576, DMD_MEMREPORT_BYTES, false, "1.00 MB");
  assert_amount(INT64_C(1234) * 1048576 + 587203, DMD_MEMREPORT_BYTES, false, "1,234.56 MB");
  /* An eighth of a MB is the simplest half of a hundredth. */
  assert_amount(131072, DMD_MEMREPORT_BYTES, false, "0.13 MB");
  assert_amount(-131072, DMD_MEMREPORT_BYTES, false, "-0.13 MB");
  assert_amount(131071, DMD_MEMREPORT_BYTES, false, "0.12 MB");
  /* Half a hundredth of a MB is 5,242.88 bytes, of a KB 5.12. */
  assert_amount(5243, DMD_MEMREPORT_BYTES, false, "0.01 MB");
  assert_amount(5242, DMD_MEMREPORT_BYTES, false, "5.12 KB");
  assert_amount(-1536, DMD_MEMREPORT_BYTES, false, "-1.50 KB");
  assert_amount(6, DMD_MEMREPORT_BYTES, false, "0.01 KB");
  assert_amount(5, DMD_MEMREPORT_BYTES, false, "5 B");
  assert_amount(-1, DMD_MEMREPORT_BYTES, false, "-1 B");
  /* 2^60 bytes are 2^40 MB. */
  assert_amount(INT64_C(1) << 60, DMD_MEMREPORT_BYTES, false, "1,099,511,627,776.00 MB");
  assert_amount(1234, DMD_MEMREPORT_BYTES, true, "1,234 B");
  assert_amount(-1234567, DMD_MEMREPORT_BYTES, true, "-1,234,567 B");
  assert_amount(1234, DMD_MEMREPORT_COUNT, false, "1,234");
  assert_amount(1234, DMD_MEMREPORT_CUMULATIVE, true, "1,234");
  assert_amount(1234, DMD_MEMREPORT_PERCENTAGE, false, "12.34%");
  assert_amount(5, DMD_MEMREPORT_PERCENTAGE, true, "0.05%");
  assert_amount(-12345678, DMD_MEMREPORT_PERCENTAGE, false, "-123,456.78%");
}

static void assert_share(int64_t part, int64_t whole, const char *expected) {
  char buf[DMD_AMOUNT_MAX];
  dmd_format_share(buf, part, whole);
  assert_string_equal(buf, expected);
}

static void shares(void **state) {
  (void)state;
  assert_share(54, 1000, "05.40%");
  assert_share(0, 7, "00.00%");
  assert_share(7, 7, "100.0%");
  assert_share(0, 0, "100.0%");
  assert_share(5, 0, "100.0%");
  /* One in 20,000 less than all is 99.995%, the least that is shown so. */
  assert_share(19999, 20000, "100.0%");
  assert_share(199989, 200000, "99.99%");
  /* 1 / 800 is 0.125%, a half. */
  assert_share(1, 800, "00.13%");
  assert_share(-1, 800, "-00.13%");
  assert_share(-5, -5, "100.0%");
  assert_share(5, -10, "-50.00%");
  /* 8 / 7 is 114.2857%. */
  assert_share(8, 7, "114.3%");
  /* A quarter of 2^60, a third of it (a whole part with no end), and far more than all. */
  assert_share(INT64_C(1) << 58, INT64_C(1) << 60, "25.00%");
  assert_share((INT64_C(1) << 60) / 3, INT64_C(1) << 60, "33.33%");
  assert_share(INT64_C(1) << 60, 1, "115292150460684697600.0%");
}

static void names_in_the_order_of_dictionaries(void **state) {
  (void)state;
  static const char *const ordered[] = {"",   "(own)", "1", "10", "2",  "a", "A",
                                        "ab", "Ab",    "b", "B",  "ba", "z", "\xc3\xa4\xc3\xa4"};
  for (unsigned i = 0; i < COUNT_OF(ordered); i++)
    for (unsigned j = 0; j < COUNT_OF(ordered); j++) {
      int res = dmd_compare_names(ordered[i], ordered[j]);
      assert_int_equal((res > 0) - (res < 0), (i > j) - (i < j));
    }
}

static void assert_normal(const char *name, const char *expected) {
  host_t host;
  host_init(&host);
  char *normal = dmd_normalize(&host.env, name);
  assert_string_equal(normal, expected);
  dmd_env_free(&host.env, normal);
  host_done(&host);
}

static void what_varies_is_normalized(void **state) {
  (void)state;
  assert_normal("", "");
  assert_normal("web (pid 1)", "web (pid NNN)");
  assert_normal("pid 12pid=3pid 4", "pid NNNpid=NNNpid NNN");
  assert_normal("explicit/thread(tid=77)/x", "explicit/thread(tid=NNN)/x");
  assert_normal("zone(0xAbc9)/s", "zone(0xNNN)/s");
  assert_normal("worker(http:, 0x1f)", "worker(http:, 0xNNN)");
  /* No number, no closing parenthesis, no parenthesis at all. */
  assert_normal("pid x (tid=) (tid=5 zone(0x) zone(0x12 0xff",
                "pid x (tid=) (tid=5 zone(0x) zone(0x12 0xff");
}

/* ---- Collections. ---- */

static const char *try_to_add(dmd_amounts_t *m, const char *path, dmd_memreport_kind_t kind,
                              dmd_memreport_units_t units, int64_t amount) {
  dmd_memreport_t report = {.process = "P",
                            .path = path,
                            .kind = kind,
                            .units = units,
                            .amount = amount,
                            .times = 1,
                            .description = "x"};
  return dmd_amounts_add(m, &report, 0);
}

static void add(dmd_amounts_t *m, const char *path, int64_t amount) {
  assert_null(try_to_add(m, path, DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, amount));
}

static void sums_beyond_2_to_53_are_exact(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &host.env, false);
  int64_t large = INT64_C(1) << 53;
  add(&m, "a/b", large);
  add(&m, "a/b", 1);
  add(&m, "a/b", large);
  const dmd_amount_t *r = dmd_amounts_at(&m, dmd_amounts_find(&m, "P", "a/b"));
  assert_true(r->amount == 2 * large + 1);
  assert_int_equal(r->times, 3);
  dmd_amounts_destroy(&m);
  host_done(&host);
}

static void what_cannot_be_added(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &host.env, false);
  assert_non_null(try_to_add(&m, "explicit/a", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 1));
  assert_non_null(try_to_add(&m, "explicit/a", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_COUNT, 1));
  assert_null(try_to_add(&m, "a", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_COUNT, 1));
  assert_non_null(try_to_add(&m, "a", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 1));
  /* Two are taken, by the count and by the value in other units: less than 2^60 is left. */
  assert_non_null(
      try_to_add(&m, "b", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, -(INT64_C(1) << 60)));
  assert_non_null(try_to_add(&m, "b", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, INT64_MIN));
  assert_null(
      try_to_add(&m, "b", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 2 - (INT64_C(1) << 60)));
  assert_non_null(try_to_add(&m, "c", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 1));
  dmd_amounts_destroy(&m);
  host_done(&host);
}

/* ---- Trees against a model that adds up all reports for every node. ---- */

enum { MAX_PATHS = 60, MAX_PATH = 16 };

typedef struct {
  char path[MAX_PATHS][MAX_PATH];
  int64_t amount[MAX_PATHS];
  unsigned n;
} model_t;

static int64_t model_sum(const model_t *model, const char *path) {
  size_t n = strlen(path);
  int64_t sum = 0;
  for (unsigned i = 0; i < model->n; i++)
    if (strncmp(model->path[i], path, n) == 0 &&
        (model->path[i][n] == '\0' || model->path[i][n] == '/'))
      sum += model->amount[i];
  return sum;
}

static bool model_has(const model_t *model, const char *path) {
  for (unsigned i = 0; i < model->n; i++)
    if (strcmp(model->path[i], path) == 0)
      return true;
  return false;
}

/* Of "r/", one to six parts from a, b, c: there are paths within paths, and equal ones. */
static void throw_path(dice_t *dice, char *path) {
  strcpy(path, "r");
  for (uint64_t n = 1 + dice_below(dice, 6); n > 0; n--) {
    char part[3] = {'/', (char)('a' + dice_below(dice, 3)), '\0'};
    strcat(path, part);
  }
}

static void path_of(const dmd_trees_t *trees, uint32_t id, char *path, size_t szB) {
  const dmd_node_t *node = dmd_trees_at(trees, id);
  if (node->parent == DMD_NONE) {
    snprintf(path, szB, "%s", node->name);
    return;
  }
  path_of(trees, node->parent, path, szB);
  strcat(path, "/");
  strcat(path, node->name);
}

static void check_against_model(const dmd_trees_t *trees, const model_t *model) {
  for (uint32_t id = 1; id <= trees->nodes.last; id++) {
    const dmd_node_t *node = dmd_trees_at(trees, id);
    char path[4 * MAX_PATH];
    path_of(trees, id, path, sizeof path);
    char *own = strstr(path, "/(own)");
    if (own != NULL) {
      /* Only a path that is also a parent has such a child, which holds the rest. */
      assert_int_equal(node->first_kid, DMD_NONE);
      *own = '\0';
      assert_true(model_has(model, path));
      continue;
    }
    assert_true(node->amount == model_sum(model, path));
    if (node->parent != DMD_NONE && node->first_kid != DMD_NONE)
      assert_true(node->n_kids >= 2);
    int64_t sum = 0, above = INT64_MAX;
    for (uint32_t kid = node->first_kid; kid != DMD_NONE; kid = dmd_trees_at(trees, kid)->next) {
      sum += dmd_trees_at(trees, kid)->amount;
      assert_true(dmd_trees_at(trees, kid)->amount <= above);
      above = dmd_trees_at(trees, kid)->amount;
    }
    if (node->first_kid != DMD_NONE)
      assert_true(node->amount == sum);
  }
}

static void random_against_sums_over_all_reports(void **state) {
  (void)state;
  dice_t dice = {20};
  for (int round = 0; round < 300; round++) {
    host_t host;
    host_init(&host);
    dmd_amounts_t m;
    dmd_amounts_init(&m, &host.env, false);
    model_t model = {.n = (unsigned)(1 + dice_below(&dice, MAX_PATHS))};
    for (unsigned i = 0; i < model.n; i++) {
      throw_path(&dice, model.path[i]);
      model.amount[i] = (int64_t)dice_below(&dice, 1000) - 100;
      add(&m, model.path[i], model.amount[i]);
    }
    const char *path;
    assert_null(dmd_amounts_settle(&m, &path));
    dmd_trees_t trees;
    dmd_trees_init(&trees, &host.env);
    for (uint32_t i = 0; i < m.n_order; i++)
      dmd_trees_add(&trees, dmd_amounts_path(&m, m.order[i]), dmd_amounts_at(&m, m.order[i]));
    dmd_trees_finish(&trees, false, true);
    check_against_model(&trees, &model);
    dmd_trees_destroy(&trees);
    dmd_amounts_destroy(&m);
    host_done(&host);
  }
}

/* ---- Text. ---- */

static void assert_printed(dmd_amounts_t *m, bool verbose, const char *expected) {
  const char *path;
  assert_null(dmd_amounts_settle(m, &path));
  sink_t sink;
  sink_init(&sink);
  dmd_tree_print(&sink.out, m, "", verbose);
  assert_text_equal(sink_text(&sink), expected);
  sink_free(&sink);
}

/* Of 1,000: 9 and 5 are tiny, 10 is exactly 1%; x alone leads to y/z. In u, all of 12 is large, but
 * its parts are not: 6 each. */
static void one_of_everything(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &host.env, false);
  add(&m, "r/x/y/z", 600);
  add(&m, "r/a", 10);
  add(&m, "r/b", 9);
  add(&m, "r/c", 5);
  add(&m, "r/u/v", 6);
  add(&m, "r/u/w", 6);
  add(&m, "r/d", 364);
  assert_printed(&m, false,
                 "P\n"
                 "\n"
                 "Other Measurements\n"
                 "\n"
                 "0.98 KB (100.0%) -- r\n"
                 "├──0.59 KB (60.00%) ── x/y/z\n"
                 "├──0.36 KB (36.40%) ── d\n"
                 "├──0.01 KB (01.40%) ++ (2 tiny)\n"
                 "├──0.01 KB (01.20%) ++ u\n"
                 "└──0.01 KB (01.00%) ── a\n"
                 "\n"
                 "End of P\n");
  dmd_amounts_destroy(&m);
  host_done(&host);
}

static void verbose_shows_all(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &host.env, false);
  add(&m, "r/x/y", 1200);
  add(&m, "r/x/z", 600);
  add(&m, "r/a", 1);
  add(&m, "r/b", 1);
  assert_printed(&m, true,
                 "P\n"
                 "\n"
                 "Other Measurements\n"
                 "\n"
                 "1,802 B (100.0%) -- r\n"
                 "├──1,800 B (99.89%) -- x\n"
                 "│  ├──1,200 B (66.59%) ── y\n"
                 "│  └────600 B (33.30%) ── z\n"
                 "├──────1 B (00.06%) ── a\n"
                 "└──────1 B (00.06%) ── b\n"
                 "\n"
                 "End of P\n");
  dmd_amounts_destroy(&m);
  host_done(&host);
}

/* heap-unclassified grew by 30; nothing else changed. */
static void only_the_unclassified_changed(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_amounts_t m, old;
  dmd_amounts_init(&m, &host.env, true);
  dmd_amounts_init(&old, &host.env, true);
  add(&m, "explicit/a", 50);
  add(&old, "explicit/a", 50);
  try_to_add(&m, "heap-allocated", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 90);
  try_to_add(&old, "heap-allocated", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 60);
  dmd_amounts_complete(&m);
  dmd_amounts_complete(&old);
  const char *path;
  assert_null(dmd_amounts_subtract(&m, &old, &path));
  assert_printed(&m, true,
                 "P\n"
                 "\n"
                 "Explicit Allocations\n"
                 "\n"
                 "30 B (100.0%) -- explicit\n"
                 "└──30 B (100.0%) ── heap-unclassified\n"
                 "\n"
                 "Other Measurements\n"
                 "\n"
                 "30 B ── heap-allocated\n"
                 "\n"
                 "End of P\n");
  dmd_amounts_destroy(&old);
  dmd_amounts_destroy(&m);
  host_done(&host);
}

/* Paths of 100,000 parts: two of them share all but the last, a third ends halfway. */
static void no_depth_is_too_deep(void **state) {
  (void)state;
  enum { PARTS = 100000 };
  host_t host;
  host_init(&host);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &host.env, false);
  char *path = malloc(2 * PARTS + 2);
  path[0] = 'r';
  for (int i = 0; i < PARTS; i++)
    memcpy(path + 1 + 2 * i, "/p", 2);
  path[1 + 2 * PARTS] = '\0';
  add(&m, path, 1);
  path[2 * PARTS] = 'q';
  add(&m, path, 2);
  path[PARTS + 1] = '\0';
  add(&m, path, 4);
  const char *wrong;
  assert_null(dmd_amounts_settle(&m, &wrong));
  dmd_trees_t trees;
  dmd_trees_init(&trees, &host.env);
  for (uint32_t i = 0; i < m.n_order; i++)
    dmd_trees_add(&trees, dmd_amounts_path(&m, m.order[i]), dmd_amounts_at(&m, m.order[i]));
  dmd_trees_finish(&trees, false, true);
  /* The root, two forks, three leaves. */
  assert_int_equal(trees.nodes.last, 6);
  assert_true(dmd_trees_at(&trees, trees.first_root)->amount == 7);
  dmd_trees_destroy(&trees);
  dmd_amounts_destroy(&m);
  free(path);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_amounts_t m, old;
  dmd_amounts_init(&m, &host->env, true);
  dmd_amounts_init(&old, &host->env, true);
  try_to_add(&m, "explicit/a/b", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, 500);
  try_to_add(&m, "explicit/a", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, 7);
  try_to_add(&m, "explicit/c", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, 1);
  try_to_add(&m, "explicit/d", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, 1);
  try_to_add(&old, "heap-allocated", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 9);
  dmd_amounts_complete(&m);
  dmd_amounts_complete(&old);
  const char *path;
  dmd_amounts_subtract(&m, &old, &path);
  dmd_amounts_settle(&m, &path);
  sink_t sink;
  sink_init(&sink);
  dmd_tree_print(&sink.out, &m, "", false);
  sink_free(&sink);
  dmd_amounts_destroy(&old);
  dmd_amounts_destroy(&m);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(amounts),
      cmocka_unit_test(shares),
      cmocka_unit_test(names_in_the_order_of_dictionaries),
      cmocka_unit_test(what_varies_is_normalized),
      cmocka_unit_test(sums_beyond_2_to_53_are_exact),
      cmocka_unit_test(what_cannot_be_added),
      cmocka_unit_test(random_against_sums_over_all_reports),
      cmocka_unit_test(one_of_everything),
      cmocka_unit_test(verbose_shows_all),
      cmocka_unit_test(only_the_unclassified_changed),
      cmocka_unit_test(no_depth_is_too_deep),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
