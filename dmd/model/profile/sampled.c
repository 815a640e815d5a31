/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/sampled.h"

#include "base/mem.h"
#include "base/sort.h"

/* 1 - e^-x for x > 0, accurate for small and large x: up to 1/2 by its series, beyond that by
 * doubling, since 1 - e^-2x = a (2 - a) with a = 1 - e^-x. */
static double chance(double x) {
  if (x > 64)
    return 1;
  int n_doublings = 0;
  for (; x > 0.5; x /= 2)
    n_doublings++;
  double term = x, a = 0;
  for (int k = 2; k < 20; k++) {
    a += term;
    term *= -x / k;
  }
  for (; n_doublings > 0; n_doublings--)
    a *= 2 - a;
  return a;
}

double dmd_sampled_weight(uint64_t interval, uint64_t req) {
  return 1 / chance((double)(req > 0 ? req : 1) / (double)interval);
}

static double weight_of(const dmd_profile_t *profile, const dmd_group_t *g) {
  return dmd_sampled_weight(profile->run.sample_interval, g->req);
}

/* x >= 0; at most DMD_MAX_TOTAL */
static int64_t round_by(double x, double up) {
  return x < (double)DMD_MAX_TOTAL ? (int64_t)(x + up) : (int64_t)DMD_MAX_TOTAL;
}

/* A number in [0, 1) from a hash of the group. */
static double lot_of(const dmd_group_t *g) {
  uint64_t num = dmd_magnitude((int64_t)g->num);
  uint64_t h = dmd_hash_u64(g->req ^ dmd_hash_u64(g->slop ^ dmd_hash_u64(num)));
  return (double)(h >> 11) * (1.0 / 9007199254740992.0);
}

int64_t dmd_group_blocks(const dmd_profile_t *profile, const dmd_group_t *g) {
  int64_t num = (int64_t)g->num;
  if (!dmd_group_is_estimated(profile, g))
    return num;
  int64_t n = round_by((double)dmd_magnitude(num) * weight_of(profile, g), lot_of(g));
  return num < 0 ? -n : n;
}

int64_t dmd_group_bytes(const dmd_profile_t *profile, const dmd_group_t *g, uint64_t szB_each) {
  int64_t num = (int64_t)g->num;
  if (!dmd_group_is_estimated(profile, g))
    return (int64_t)(g->num * szB_each);
  int64_t szB =
      round_by((double)dmd_magnitude(num) * weight_of(profile, g) * (double)szB_each, 0.5);
  return num < 0 ? -szB : szB;
}

uint64_t dmd_szB_times(uint64_t szB, uint32_t times) {
  return times > 0 && szB > DMD_MAX_TOTAL / times ? DMD_MAX_TOTAL : szB * times;
}

int64_t dmd_group_excess(const dmd_profile_t *profile, const dmd_group_t *g) {
  uint32_t times = g->reports == DMD_NONE ? 0 : dmd_reports_excess(&profile->reports, g->reports);
  return times == 0 ? 0 : dmd_group_bytes(profile, g, dmd_szB_times(g->req + g->slop, times));
}

dmd_variance_t dmd_group_variance(const dmd_profile_t *profile, const dmd_group_t *g) {
  if (!dmd_group_is_estimated(profile, g))
    return (dmd_variance_t){0, 0};
  double weight = weight_of(profile, g), usable = (double)g->req + (double)g->slop;
  double blocks = (double)dmd_magnitude((int64_t)g->num) * weight * (weight - 1);
  return (dmd_variance_t){blocks, blocks * usable * usable};
}

static void add_up(const dmd_profile_t *profile, const dmd_groups_t *groups, double *blocks,
                   double *szB) {
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *g = dmd_groups_at(groups, id);
    double n = (double)g->num;
    if (dmd_group_is_estimated(profile, g))
      n *= weight_of(profile, g);
    *blocks += n;
    *szB += n * ((double)g->req + (double)g->slop);
  }
}

bool dmd_sampled_fits(const dmd_profile_t *profile) {
  double blocks = 0, szB = 0;
  if (profile->run.sample_interval == 0)
    return true;
  add_up(profile, &profile->groups, &blocks, &szB);
  add_up(profile, &profile->gone, &blocks, &szB);
  return blocks <= (double)DMD_MAX_COUNT && szB <= (double)DMD_MAX_TOTAL;
}
