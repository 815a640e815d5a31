/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The noise of equal runs against the C library's sort, and the calibrated limits against further
 * runs. */
#include "fixture.h"

#include "analyse/limits/calibration.h"

enum { MAX_RUNS = 7 };

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void check_noise(dmd_noise_t noise, int64_t *values, size_t n) {
  qsort(values, n, sizeof *values, compare);
  assert_int_equal(noise.least, values[0]);
  assert_int_equal(noise.most, values[n - 1]);
  if (n % 2 == 1)
    assert_int_equal(noise.median, values[n / 2]);
  else
    assert_int_equal(noise.median, (values[n / 2 - 1] + values[n / 2]) / 2);
  assert_true(noise.expected >= noise.most);
  assert_true(noise.growth >= noise.expected - noise.least);
  /* A metric is its own limit only if it never changes. */
  assert_int_equal(noise.expected == noise.most, noise.most == noise.least);
}

/* What one run holds of each kind. */
typedef struct {
  int64_t unreported, twice, by_a, by_b, misreports;
} run_t;

static run_t throw_run(dice_t *dice) {
  return (run_t){.unreported = (int64_t)dice_below(dice, 1000),
                 .twice = (int64_t)dice_below(dice, 1000),
                 .by_a = (int64_t)dice_below(dice, 1000),
                 .by_b = (int64_t)dice_below(dice, 3),
                 .misreports = (int64_t)dice_below(dice, 9)};
}

static void fill(dmd_profile_t *p, const run_t *run) {
  p->mode = DMD_MODE_DARK_MATTER;
  p->run.is_known = true;
  build_tagged(p, 1, run->unreported, 0, "new", DMD_NONE, "a tag");
  build_blocks(p, 1, run->twice, 0, "new", build_reports(p, 2, "r", NULL, "s", NULL));
  build_blocks(p, 1, run->by_a, 0, "new", build_reports(p, 1, "r", "a", NULL, NULL));
  /* Not every run has every name. */
  if (run->by_b > 0)
    build_blocks(p, 1, run->by_b, 0, "new", build_reports(p, 1, "r", "b", NULL, NULL));
  if (run->misreports > 0)
    build_fault(p, DMD_FAULT_CLAIM, (uint64_t)run->misreports, "claim", "a");
}

static int64_t total_of(const run_t *run) {
  return run->unreported + run->twice + run->by_a + run->by_b;
}

static void check(const dmd_calibration_t *c, const run_t *runs, size_t n) {
  int64_t total[MAX_RUNS] = {0}, unreported[MAX_RUNS] = {0}, twice[MAX_RUNS] = {0},
          misreports[MAX_RUNS] = {0}, blocks[MAX_RUNS] = {0};
  bool any_b = false;
  for (size_t i = 0; i < n; i++) {
    total[i] = total_of(&runs[i]);
    unreported[i] = runs[i].unreported;
    twice[i] = runs[i].twice;
    misreports[i] = runs[i].misreports;
    blocks[i] = runs[i].by_b > 0 ? 4 : 3;
    any_b |= runs[i].by_b > 0;
  }
  check_noise(c->bytes[DMD_TOTAL], total, n);
  check_noise(c->blocks[DMD_TOTAL], blocks, n);
  check_noise(c->bytes[DMD_UNREPORTED], unreported, n);
  check_noise(c->bytes[DMD_TWICE], twice, n);
  check_noise(c->bytes[DMD_MISREPORTS], misreports, n);
  int64_t growth = c->bytes[DMD_TOTAL].growth, dark = c->bytes[DMD_UNREPORTED].growth;
  assert_int_equal(c->growth, growth > dark ? growth : dark);
  assert_int_equal(c->n_names, any_b ? 3 : 2);
  for (size_t i = 0; i < n; i++) {
    total[i] = runs[i].by_a;
    twice[i] = runs[i].by_b;
  }
  assert_string_equal(dmd_calibration_name(c, 0), "a");
  check_noise(c->named[0], total, n);
  assert_string_equal(dmd_calibration_name(c, 1), "a tag");
  check_noise(c->named[1], unreported, n);
  if (any_b)
    check_noise(c->named[2], twice, n);
}

static void random_against_sorted_lists(void **state) {
  (void)state;
  dice_t dice = {5};
  for (int round = 0; round < 300; round++) {
    host_t host;
    host_init(&host);
    size_t n = 2 + (size_t)dice_below(&dice, MAX_RUNS - 1);
    run_t runs[MAX_RUNS];
    dmd_profile_t profiles[MAX_RUNS];
    dmd_subject_t subjects[MAX_RUNS] = {{0}};
    for (size_t i = 0; i < n; i++) {
      runs[i] = throw_run(&dice);
      dmd_profile_init(&profiles[i], &host.env);
      fill(&profiles[i], &runs[i]);
      subjects[i].profile = &profiles[i];
    }
    dmd_calibration_t c;
    dmd_calibration_init(&c, subjects, n);
    for (size_t i = 0; i < n; i++)
      dmd_profile_destroy(&profiles[i]);
    assert_true(c.knows_reports && c.knows_misreports);
    check(&c, runs, n);
    dmd_calibration_destroy(&c);
    host_done(&host);
  }
}

/* A profile of one run of a program whose metrics scatter like a sum of many dice. */
static int64_t throw_figure(dice_t *dice) {
  int64_t sum = 1000000;
  for (int i = 0; i < 24; i++)
    sum += (int64_t)dice_below(dice, 1000);
  return sum;
}

/* Whether a run keeps all limits, with the calibration's first run as the baseline. */
static bool keeps(const dmd_calibration_t *c, const run_t *run, const run_t *first) {
  return run->unreported <= c->bytes[DMD_UNREPORTED].expected &&
         run->twice <= c->bytes[DMD_TWICE].expected && run->by_a <= c->named[0].expected &&
         total_of(run) - total_of(first) <= c->growth &&
         run->unreported - first->unreported <= c->growth;
}

/* Over many calibrations, each with as many further runs, at most the promised share of runs is
 * refused. It is not far less either: otherwise limits that accept anything would pass. */
static void further_runs_are_refused_as_promised(void **state) {
  (void)state;
  enum { ROUNDS = 3000, FURTHER = 100 };
  dice_t dice = {11};
  for (size_t n = 3; n <= MAX_RUNS; n += 2) {
    int n_refused = 0, n_found = 0;
    for (int round = 0; round < ROUNDS; round++) {
      host_t host;
      host_init(&host);
      run_t runs[MAX_RUNS];
      dmd_profile_t profiles[MAX_RUNS];
      dmd_subject_t subjects[MAX_RUNS] = {{0}};
      for (size_t i = 0; i < n; i++) {
        runs[i] = (run_t){throw_figure(&dice), throw_figure(&dice), throw_figure(&dice), 0, 0};
        dmd_profile_init(&profiles[i], &host.env);
        fill(&profiles[i], &runs[i]);
        subjects[i].profile = &profiles[i];
      }
      dmd_calibration_t c;
      dmd_calibration_init(&c, subjects, n);
      for (int i = 0; i < FURTHER; i++) {
        run_t run = {throw_figure(&dice), throw_figure(&dice), throw_figure(&dice), 0, 0};
        n_refused += !keeps(&c, &run, &runs[0]);
        run.unreported += 100000; /* a tenth, and 70 times what a run scatters by */
        n_found += !keeps(&c, &run, &runs[0]);
      }
      for (size_t i = 0; i < n; i++)
        dmd_profile_destroy(&profiles[i]);
      dmd_calibration_destroy(&c);
      host_done(&host);
    }
    assert_true(n_refused * DMD_CALIBRATION_RUNS <= ROUNDS * FURTHER);
    assert_true(n_refused > 0);
    assert_true(n_found > ROUNDS * FURTHER * 19 / 20);
  }
}

/* Student's distribution with two degrees of freedom has a closed form: the value exceeded with
 * this probability. */
static double bound_of_two(double risk) {
  double within = 1 - 2 * risk;
  return within * dmd_sqrt(2 / (1 - within * within));
}

static int64_t up(double number) {
  return (int64_t)number + 1;
}

/* 10, 20 and 30 blocks of 500 bytes, and 30, 20 and 10 of 600: the sums are 23,000, 22,000 and
 * 21,000, and deviate by 1,000, but those of the blocks of 600 bytes by 6,000. The one limit that
 * may be broken is on growth. */
static void sizes_that_balance_each_other_scatter(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_profile_t profiles[3];
  dmd_subject_t subjects[3] = {{0}};
  for (uint32_t i = 0; i < 3; i++) {
    dmd_profile_init(&profiles[i], &host.env);
    profiles[i].mode = DMD_MODE_LIVE;
    build_blocks(&profiles[i], 10 * (i + 1), 500, 0, "new", DMD_NONE);
    build_blocks(&profiles[i], 30 - 10 * i, 600, 0, "new", DMD_NONE);
    subjects[i].profile = &profiles[i];
  }
  dmd_calibration_t c;
  dmd_calibration_init(&c, subjects, 3);
  double t = bound_of_two(1.0 / DMD_CALIBRATION_RUNS);
  assert_int_equal(c.bytes[DMD_TOTAL].least, 21000);
  assert_int_equal(c.bytes[DMD_TOTAL].most, 23000);
  assert_int_equal(c.bytes[DMD_TOTAL].expected, up(22000 + t * 6000 * dmd_sqrt(1 + 1 / 3.0)));
  assert_int_equal(c.growth, up(t * 6000 * dmd_sqrt(2)));
  assert_int_equal(c.blocks[DMD_TOTAL].expected, 40);
  dmd_calibration_destroy(&c);
  for (int i = 0; i < 3; i++)
    dmd_profile_destroy(&profiles[i]);
  host_done(&host);
}

/* Only the limits whose metrics vary share the risk. With unreported blocks of 100, 200 and 300
 * bytes and 500 reported bytes, these are the growth of all, the growth of unreported blocks, and
 * the amount of unreported blocks. */
static void what_differs_shares_the_risk(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_profile_t profiles[3];
  dmd_subject_t subjects[3] = {{0}};
  for (uint32_t i = 0; i < 3; i++) {
    dmd_profile_init(&profiles[i], &host.env);
    fill(&profiles[i], &(run_t){0, 7, 500, 0, 2});
    build_blocks(&profiles[i], 1, 100 * (i + 1), 0, "new", DMD_NONE);
    subjects[i].profile = &profiles[i];
  }
  dmd_calibration_t c;
  dmd_calibration_init(&c, subjects, 3);
  double t = bound_of_two(1.0 / DMD_CALIBRATION_RUNS / 3);
  assert_int_equal(c.bytes[DMD_UNREPORTED].expected, up(200 + t * 100 * dmd_sqrt(1 + 1 / 3.0)));
  assert_int_equal(c.growth, up(t * 100 * dmd_sqrt(2)));
  assert_int_equal(c.bytes[DMD_TWICE].expected, 7);
  assert_int_equal(c.bytes[DMD_MISREPORTS].expected, 2);
  assert_int_equal(c.named[0].expected, 500);
  dmd_calibration_destroy(&c);
  for (int i = 0; i < 3; i++)
    dmd_profile_destroy(&profiles[i]);
  host_done(&host);
}

static void what_one_run_does_not_know_none_does(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  f.other.mode = DMD_MODE_LIVE;
  f.profile.run.is_known = true;
  dmd_subject_t runs[] = {{.profile = &f.profile}, {.profile = &f.other}};
  dmd_calibration_t c;
  dmd_calibration_init(&c, runs, 2);
  assert_false(c.knows_reports);
  assert_false(c.knows_misreports);
  dmd_calibration_destroy(&c);
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill(&p, &(run_t){1, 2, 3, 4, 5});
  dmd_subject_t runs[] = {{.profile = &p}, {.profile = &p}};
  dmd_calibration_t c;
  dmd_calibration_init(&c, runs, 2);
  assert_int_equal(c.bytes[DMD_TOTAL].median, 10);
  dmd_calibration_destroy(&c);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_sorted_lists),
      cmocka_unit_test(further_runs_are_refused_as_promised),
      cmocka_unit_test(sizes_that_balance_each_other_scatter),
      cmocka_unit_test(what_differs_shares_the_risk),
      cmocka_unit_test(what_one_run_does_not_know_none_does),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
