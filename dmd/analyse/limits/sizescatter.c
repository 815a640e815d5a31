/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/sizescatter.h"

#include "analyse/limits/ttest.h"
#include "base/intern.h"

/* One size: its bytes in each run minus those in the first, so that equal values have no rounding
 * error. */
typedef struct {
  int64_t first, now; /* bytes in the first run, and in this one */
  int64_t num;        /* blocks in this run */
  size_t n_runs;      /* number of runs with such blocks */
  double sum, squares;
} of_size_t;

typedef struct {
  dmd_intern_t sizes; /* usable sizes in bytes */
  dmd_pool_t figures; /* of_size_t, by id of the size */
} scatter_t;

static of_size_t *at(const scatter_t *s, uint32_t id) {
  return DMD_POOL_AT(&s->figures, of_size_t, id);
}

static void add_groups(scatter_t *s, const dmd_selector_t *selector) {
  const dmd_profile_t *profile = selector->subject->profile;
  for (uint32_t i = 1; i <= dmd_groups_count(&profile->groups); i++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, i);
    if (!dmd_gate_counts(selector, g))
      continue;
    uint64_t usable = g->req + g->slop;
    uint32_t id = dmd_intern_bytes(&s->sizes, &usable, sizeof usable);
    dmd_pool_reach(&s->figures, id);
    at(s, id)->num += dmd_group_blocks(profile, g);
    at(s, id)->now += dmd_group_bytes(profile, g, dmd_gate_counted_szB(selector, g));
  }
}

static void end_run(scatter_t *s, bool is_first) {
  for (uint32_t id = 1; id <= s->figures.last; id++) {
    of_size_t *size = at(s, id);
    if (is_first)
      size->first = size->now;
    double more = (double)size->now - (double)size->first;
    size->sum += more;
    size->squares += more * more;
    size->n_runs += size->num > 0;
    size->now = size->num = 0;
  }
}

static double largest(const scatter_t *s, size_t n_runs) {
  double most = 0, n = (double)n_runs;
  for (uint32_t id = 1; id <= s->figures.last; id++) {
    const of_size_t *size = at(s, id);
    double variance = (size->squares - size->sum * size->sum / n) / (n - 1);
    if (size->n_runs == n_runs && variance > most)
      most = variance;
  }
  return dmd_sqrt(most);
}

double dmd_size_scatter(const dmd_subject_t *runs, size_t n_runs, dmd_what_t what,
                        const char *name) {
  const dmd_env_t *env = runs[0].profile->env;
  scatter_t s;
  dmd_intern_init(&s.sizes, env, "dmd.calibration");
  dmd_pool_init(&s.figures, env, "dmd.calibration", sizeof(of_size_t));
  for (size_t i = 0; i < n_runs; i++) {
    dmd_selector_t selector;
    dmd_selector_init(&selector, dmd_gate_subject(&runs[i], what), what, name);
    add_groups(&s, &selector);
    dmd_selector_destroy(&selector);
    end_run(&s, i == 0);
  }
  double most = largest(&s, n_runs);
  dmd_pool_destroy(&s.figures);
  dmd_intern_destroy(&s.sizes);
  return most;
}
