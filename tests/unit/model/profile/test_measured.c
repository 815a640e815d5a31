/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What reporters measured, by path, and the order of paths on which that relies. */
#include "fixture.h"

#include "base/path.h"
#include "model/profile/measured.h"

static void order_of_paths(void **state) {
  (void)state;
  static const char *const sorted[] = {"",      "/",   "/a", "a",  "a/",   "a/b", "a/b/c", "a/c",
                                       "a\x01", "a b", "a.", "ab", "ab/c", "b",   "\xff"};
  for (size_t i = 0; i < COUNT_OF(sorted); i++)
    for (size_t k = 0; k < COUNT_OF(sorted); k++) {
      int order = dmd_path_compare(sorted[i], sorted[k]);
      assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
      size_t n = strlen(sorted[k]);
      bool below =
          strncmp(sorted[i], sorted[k], n) == 0 && (sorted[i][n] == '\0' || sorted[i][n] == '/');
      assert_int_equal(dmd_path_is_at_or_below(sorted[i], sorted[k]), below);
    }
}

static void a_few_by_hand(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 2, 90, 10, "new",
               build_reports(&f.profile, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(&f.profile, 1, 30, 0, "new",
               build_reports(&f.profile, 2, "r", "explicit/a/b", "r", "explicit/c"));
  build_blocks(&f.profile, 1, 7, 0, "new",
               build_reports(&f.profile, 5, "r", "explicit/a/b", "r", NULL));
  build_blocks(&f.profile, 1, 1000, 0, "new", DMD_NONE);
  build_blocks(&f.profile, 1, 3, 0, "new",
               build_reports(&f.profile, 1, "r", "explicit/ab", NULL, NULL));
  dmd_measured_t m;
  dmd_measured_init(&m, &f.profile);
  const struct {
    const char *path;
    int64_t at, below;
  } expected[] = {
      {"explicit/a", 200, 237}, {"explicit/a/b", 37, 37},
      {"explicit/c", 30, 30},   {"explicit/ab", 3, 3},
      {"explicit", 0, 270},     {"explicit/a/", 0, 0},
      {"explicit/d", 0, 0},     {"", 0, 0},
  };
  for (size_t i = 0; i < COUNT_OF(expected); i++) {
    assert_int_equal(dmd_measured_at(&m, expected[i].path), expected[i].at);
    assert_int_equal(dmd_measured_at_or_below(&m, expected[i].path), expected[i].below);
  }
  assert_int_equal(m.by_reporter[DMD_NONE], 4 * 7); /* all reports but the first */
  dmd_measured_destroy(&m);
  fixture_end(&f);
}

static void shared_blocks_in_parts(void **state) {
  (void)state;
  static const char *const owners[] = {"x", "x/y", "z", NULL, "x", "z"};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  /* 103 by four owners: 25 each, and 3 more for the first. */
  build_blocks(&f.profile, 2, 90, 13, "new", build_shared(&f.profile, owners, COUNT_OF(owners)));
  build_blocks(&f.profile, 1, 7, 0, "new", build_reports(&f.profile, 1, "r", "x", NULL, NULL));
  dmd_measured_t m;
  dmd_measured_init(&m, &f.profile);
  assert_int_equal(dmd_measured_at(&m, "x"), 2 * 28 + 7);
  assert_int_equal(dmd_measured_whole(&m, "x"), 2 * 103 + 7);
  assert_int_equal(dmd_measured_at_or_below(&m, "x"), 2 * (28 + 25) + 7);
  assert_int_equal(dmd_measured_at(&m, "z"), 2 * 25);
  assert_int_equal(dmd_measured_whole(&m, "z"), 206);
  assert_int_equal(m.by_reporter[DMD_NONE], 2 * 25);
  assert_int_equal(m.shared[DMD_NONE], 2 * 78);
  assert_int_equal(dmd_measured_whole(&m, "y"), 0);
  dmd_measured_destroy(&m);
  fixture_end(&f);
}

/* Paths of up to four parts out of three. */
static const char *random_path(dice_t *dice, char path[16]) {
  size_t n = 0;
  for (uint64_t parts = 1 + dice_below(dice, 4); parts > 0; parts--) {
    if (n > 0)
      path[n++] = '/';
    path[n++] = (char)('a' + dice_below(dice, 3));
  }
  path[n] = '\0';
  return path;
}

static void random_against_a_list(void **state) {
  (void)state;
  enum { BLOCKS = 200 };
  static char paths[BLOCKS][16];
  static int64_t sizes[BLOCKS];
  dice_t dice = {8};
  for (int round = 0; round < 20; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    size_t n = (size_t)dice_below(&dice, BLOCKS);
    for (size_t i = 0; i < n; i++) {
      sizes[i] = (int64_t)dice_below(&dice, 100);
      random_path(&dice, paths[i]);
      build_blocks(&f.profile, 1, sizes[i], 0, "new",
                   build_reports(&f.profile, 1, "r", paths[i], NULL, NULL));
    }
    dmd_measured_t m;
    dmd_measured_init(&m, &f.profile);
    for (int question = 0; question < 100; question++) {
      char path[16];
      int64_t at = 0, below = 0;
      random_path(&dice, path);
      for (size_t i = 0; i < n; i++) {
        at += strcmp(paths[i], path) == 0 ? sizes[i] : 0;
        below += dmd_path_is_at_or_below(paths[i], path) ? sizes[i] : 0;
      }
      assert_int_equal(dmd_measured_at(&m, path), at);
      assert_int_equal(dmd_measured_at_or_below(&m, path), below);
    }
    dmd_measured_destroy(&m);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  build_blocks(&p, 2, 90, 10, "new", build_reports(&p, 1, "r", "explicit/a", NULL, NULL));
  dmd_measured_t m;
  dmd_measured_init(&m, &p);
  assert_int_equal(dmd_measured_at(&m, "explicit/a"), 200);
  dmd_measured_destroy(&m);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_of_paths),         cmocka_unit_test(a_few_by_hand),
      cmocka_unit_test(shared_blocks_in_parts), cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
