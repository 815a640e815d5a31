/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * calibration.h: derives limits from the variation between equal runs.
 *
 * A limit that the next run of the same program breaks is worse than no limit. So users who set up
 * a gate run the program a few times and take the limits from here. A limit exceeds the observed
 * values by the margin that so few runs leave open (ttest.h): all limits together refuse one
 * further run in DMD_CALIBRATION_RUNS if values scatter like errors. A sum is assumed to scatter at
 * least as much as the blocks of one size. Values that are equal in all runs are
 * their own limits.
 *
 * No limit can account for an event that happens in one of m runs and in none of the n observed
 * ones. The probability of such n runs is (1 - 1/m)^n, and one of m further runs is then refused:
 * in total at most 10 in 100 after three runs, 7 after five, 3 after ten (if m is n + 1).
 */
#ifndef DMD_ANALYSE_LIMITS_CALIBRATION_H
#define DMD_ANALYSE_LIMITS_CALIBRATION_H

#include "analyse/limits/gate.h"
#include "analyse/limits/ttest.h"

/* ---- Scatter of single sizes. ----
 *
 * The scatter of the blocks of single sizes over equal runs.
 *
 * A metric is a sum over blocks of many sizes. If threads share work, for example, there may be
 * more blocks of one size because there are fewer of another, and the sum varies less than either.
 * A few runs cannot show whether that always holds: while all threads are delayed alike, the heap
 * is the same each time, until one of them is delayed alone. So the sum is assumed to scatter at
 * least as much as the blocks of any one size.
 *
 * Only sizes that occur in every run count: a buffer whose length varies slightly has another size
 * each time, and the sum already covers it. */

/* The largest standard deviation among sizes, in bytes of the metric as counted by dmd_gate_figure,
 * over n_runs runs (at least 2), with n_runs - 1 degrees of freedom. 0 if no size occurs in every
 * run, and for misreports. */
double dmd_size_scatter(const dmd_subject_t *runs, size_t n_runs, dmd_what_t what,
                        const char *name);

enum { DMD_CALIBRATION_RUNS = 200 };

/* ---- Calibration. ---- */

/* One metric over all runs. The median of an even number of runs is the mean of the middle two,
 * rounded down. A further run should have at most `expected` (>= most), and differ from any other
 * by at most `growth`, if it scatters alike. */
typedef struct dmd_noise {
  int64_t least, median, most;
  int64_t expected, growth;
  dmd_scatter_t scatter;
} dmd_noise_t;

typedef struct dmd_calibration {
  const dmd_env_t *env;
  size_t n_runs;
  bool knows_reports, knows_misreports;            /* if false, their metrics are meaningless */
  dmd_noise_t bytes[DMD_NAMED], blocks[DMD_NAMED]; /* by dmd_what_t; for misreports the count */
  int64_t growth; /* expected maximum growth of a run against any other, in total or unreported */
  /* All reporters and tags of the runs, sorted by name, and their bytes. */
  dmd_intern_t names;
  uint32_t *order;
  dmd_noise_t *named; /* in the order of `order` */
  uint32_t n_names;
  uint32_t n_in_first; /* names in the first run: these have the lowest ids */
} dmd_calibration_t;

/* From two or more runs of one mode, which are not needed afterwards. The calibration must stay in
 * place until it is destroyed. */
void dmd_calibration_init(dmd_calibration_t *c, const dmd_subject_t *runs, size_t n_runs);
void dmd_calibration_destroy(dmd_calibration_t *c);

/* The i-th name, from 0. */
static inline const char *dmd_calibration_name(const dmd_calibration_t *c, uint32_t i) {
  return dmd_intern_get_str(&c->names, c->order[i]);
}

/* True if the first run has this name. */
static inline bool dmd_calibration_is_in_first(const dmd_calibration_t *c, uint32_t i) {
  return c->order[i] <= c->n_in_first;
}

#endif
