/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sampled.h: what blocks stand for that were sampled by --sample-interval.
 *
 * Of a program that is sampled so, each byte that it asks for is drawn with a probability of
 * 1 / interval, and a block is kept if any of its bytes is: with p = 1 - e^(-size / interval),
 * where size is what was requested, or 1 if that is nothing. Each kept block therefore stands for 1
 * / p blocks like it. Sums of that are right on average, whatever the sizes are and in whatever
 * order they come (Horvitz and Thompson, 1952). How far off one is likely to be follows from the
 * same blocks: of n kept ones, (1 - p) / p^2 * n estimates the variance of the number that they
 * stand for. Blocks are drawn independently of each other, so that variances add up.
 *
 * A profile has such groups as they were kept: req, slop and num are those of real blocks. Whoever
 * adds up blocks or bytes of groups asks the functions here for them; of a group that was not
 * sampled so they answer what it says. So everything that is computed of profiles is right for both
 * kinds, and for profiles that have both, as the difference of a sampled one and one that is not.
 *
 * Amounts are whole numbers. Bytes are rounded to the nearest. Blocks are rounded up or down by
 * chance, so that sums of many small numbers are right as well; the chance is made of what the
 * group is, so that equal profiles give equal numbers.
 */
#ifndef DMD_PROFILE_SAMPLED_H
#define DMD_PROFILE_SAMPLED_H

#include "profile/profile.h"

/* How many blocks of this requested size one stands for that was kept; interval > 0. */
double dmd_sampled_weight(uint64_t interval, uint64_t req);

/* Whether the groups of two profiles can be in one: a profile knows one interval, so that two must
 * have the same, unless one of them is not sampled at all. */
static inline bool dmd_sampled_alike(const dmd_profile_t *a, const dmd_profile_t *b) {
  const dmd_run_t *x = &a->run, *y = &b->run;
  return x->sample_interval == y->sample_interval || (x->sample_interval | x->sample_below) == 0 ||
         (y->sample_interval | y->sample_below) == 0;
}

/* Whether what the group amounts to is estimated so. */
static inline bool dmd_group_is_estimated(const dmd_profile_t *profile, const dmd_group_t *group) {
  return group->sampled && profile->run.sample_interval > 0;
}

/* The group's blocks, and a sum over them of which each has these bytes. In a difference they may
 * be negative. */
int64_t dmd_group_blocks(const dmd_profile_t *profile, const dmd_group_t *group);
int64_t dmd_group_bytes(const dmd_profile_t *profile, const dmd_group_t *group, uint64_t szB_each);

/* Their usable bytes. */
static inline int64_t dmd_group_usable(const dmd_profile_t *profile, const dmd_group_t *group) {
  return dmd_group_bytes(profile, group, group->req + group->slop);
}

/* The variances of the two; 0 of what is no estimate of this kind. */
typedef struct dmd_variance {
  double blocks, bytes;
} dmd_variance_t;

dmd_variance_t dmd_group_variance(const dmd_profile_t *profile, const dmd_group_t *group);

static inline void dmd_variance_add(dmd_variance_t *to, dmd_variance_t v) {
  to->blocks += v.blocks;
  to->bytes += v.bytes;
}

/* Whether all groups of a profile that was read together stand for no more bytes and blocks than
 * sums may have (DMD_MAX_TOTAL). */
bool dmd_sampled_fits(const dmd_profile_t *profile);

#endif
