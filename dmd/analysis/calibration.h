/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * calibration.h: how much the figures of equal runs differ, and which limits a further run keeps.
 *
 * A limit that the next run of the same program breaks is worse than none. So people who set up a
 * gate run the program a few times and take the limits from here. A limit lies beyond what was
 * seen, by as much as so few runs leave open (student.h): all limits together refuse one further
 * run of DMD_CALIBRATION_RUNS, where figures scatter as errors do. A sum is taken to scatter no
 * less than the blocks of one size (sizescatter.h). Figures that are the same in all runs are their
 * own limits.
 *
 * No limit can know of what happens in one of m runs and in none of the n that were seen. Such n
 * are seen with the probability (1 - 1/m)^n, and then one of m further runs is refused: in all at
 * most 10 of 100 after three runs, 7 after five, 3 after ten (where m is n + 1).
 */
#ifndef DMD_ANALYSIS_CALIBRATION_H
#define DMD_ANALYSIS_CALIBRATION_H

#include "analysis/gate.h"
#include "analysis/student.h"

enum { DMD_CALIBRATION_RUNS = 200 };

/* One figure of all runs. The median of an even number of runs is the mean of the two in the
 * middle, rounded down. A further run is expected to have at most `expected`, which is not below
 * most, and to differ from any other by at most `growth`, if it scatters so. */
typedef struct dmd_noise {
  int64_t least, median, most;
  int64_t expected, growth;
  dmd_scatter_t scatter;
} dmd_noise_t;

typedef struct dmd_calibration {
  const dmd_env_t *env;
  size_t n_runs;
  bool knows_reports, knows_misreports;            /* if not, their figures mean nothing */
  dmd_noise_t bytes[DMD_NAMED], blocks[DMD_NAMED]; /* by dmd_what_t; of misreports the count */
  int64_t growth; /* to expect of a run against any other, in all or in what is unreported */
  /* The distinct reporters and tags of all runs, by name, and their bytes. */
  dmd_intern_t names;
  uint32_t *order;
  dmd_noise_t *named; /* in this order */
  uint32_t n_names;
  uint32_t n_in_first; /* of them in the first run: these have the ids up to this */
} dmd_calibration_t;

/* Of two or more runs, all of one mode, which are not needed afterwards. The calibration must stay
 * where it is until it is destroyed. */
void dmd_calibration_init(dmd_calibration_t *c, const dmd_subject_t *runs, size_t n_runs);
void dmd_calibration_destroy(dmd_calibration_t *c);

/* The i-th name, from 0. */
static inline const char *dmd_calibration_name(const dmd_calibration_t *c, uint32_t i) {
  return dmd_intern_get_str(&c->names, c->order[i]);
}

/* Whether the first run has it. */
static inline bool dmd_calibration_is_in_first(const dmd_calibration_t *c, uint32_t i) {
  return c->order[i] <= c->n_in_first;
}

#endif
