/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * steps.h: where the level of a figure changes, over the builds of a program.
 *
 * A series is one figure of each build, in order; a build that was run several times has the mean
 * of its runs. Between steps a series scatters around a level. A step is where it goes on around
 * another one, higher or lower; a slow change is a level that rises or falls from build to build.
 *
 * Builds are looked at in order, as they came, so that what was found of the first ones does not
 * depend on those that came later, but for where a step lies exactly, which more builds tell
 * better. With each build the last ones, one more at a time, are compared with all others of the
 * level: by Student's test, with the scatter that both have in common, and a probability so small
 * that in all the builds and series of a project hardly any step is one of chance. A slow change is
 * told from a step by which of the two is nearer to the builds.
 *
 * Programs are not as well-behaved as errors: some have two levels and take one by chance, some
 * have outliers. So most builds of a step must be nearer to its level than to the one before, and
 * there must be so many runs on both sides that to have just these on one side would be a rare
 * chance (DMD_STEPS_RARE): after 43 runs two do, after 20 three, after 10 four. A project that runs
 * each build three times sees a step with the first build that has it.
 *
 * E-divisive, which others use, judges by permutations of the builds: of n builds the last one is
 * the largest in one of n permutations however large it is, so that a step is sure only after many
 * builds that have it.
 *
 * Cost: for each build a walk over the last DMD_STEPS_WINDOW.
 */
#ifndef DMD_ANALYSIS_STEPS_H
#define DMD_ANALYSIS_STEPS_H

#include "base/env.h"

#include <stdbool.h>

enum {
  DMD_STEPS_WINDOW = 30,   /* a step is found at the latest so many builds after it */
  DMD_STEPS_TREND = 12,    /* builds that a slow change needs */
  DMD_STEPS_ODDS = 200000, /* one such step of so many is of chance */
  DMD_STEPS_RARE = 1000    /* ways to choose the runs of the new level among all */
};

/* A build: the mean of its runs, how many there were, and their scatter (0 of a single one). */
typedef struct dmd_point {
  double value;
  uint32_t n_runs;
  double deviation;
} dmd_point_t;

/* Less than the larger of these is no change that anybody wants to know of. */
typedef struct dmd_steps_limits {
  double least;       /* in the figure's unit */
  double least_share; /* of the level before */
} dmd_steps_limits_t;

typedef struct dmd_step {
  uint32_t first;            /* the first build of the new level; of a slow change its last build */
  uint32_t earliest, latest; /* the first build is one of these, as far as the scatter tells */
  uint32_t since;            /* the first build of the level before */
  uint32_t found;            /* the build with which it was found */
  double before, after;      /* the levels; of a slow change what it went from and to */
  double deviation;          /* the builds' scatter around them */
  bool is_slow;
} dmd_step_t;

/* Steps in order, *n of them, to be freed with dmd_env_free; NULL where there are none. */
dmd_step_t *dmd_steps_find(const dmd_env_t *env, const dmd_point_t *points, uint32_t n_points,
                           dmd_steps_limits_t limits, uint32_t *n);

#endif
