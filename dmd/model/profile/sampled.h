/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sampled.h: estimates from blocks that --sample-interval sampled.
 *
 * Each requested byte is drawn with probability 1 / interval, and a block is kept if any of its
 * bytes is: with p = 1 - e^(-size / interval), where size is the requested size, at least 1. Each
 * kept block therefore stands for 1 / p blocks like it. Sums of these are unbiased for all sizes
 * and orders (Horvitz and Thompson, 1952). Their error follows from the same blocks: for n kept
 * ones, (1 - p) / p^2 * n estimates the variance of the number that they stand for. Blocks are
 * drawn independently, so variances add up.
 *
 * A profile stores groups as they were kept: req, slop and num are those of real blocks. All code
 * that adds up blocks or bytes of groups calls the functions here, which return the stored numbers
 * for groups that were not sampled. So every computation works for both kinds of profiles, and for
 * mixed ones, such as the difference of a sampled profile and one that is not.
 *
 * Amounts are integers. Bytes are rounded to the nearest. Blocks are rounded up or down at random,
 * so that sums of many small numbers are right as well; the randomness is a hash of the group, so
 * that equal profiles give equal numbers.
 */
#ifndef DMD_MODEL_PROFILE_SAMPLED_H
#define DMD_MODEL_PROFILE_SAMPLED_H

#include "model/profile/profile.h"

/* The number of blocks that a kept block of this requested size stands for; interval > 0. */
double dmd_sampled_weight(uint64_t interval, uint64_t req);

/* Whether the groups of two profiles can be merged: a profile has one interval, so both must have
 * the same one, unless one of them is not sampled at all. */
static inline bool dmd_sampled_alike(const dmd_profile_t *a, const dmd_profile_t *b) {
  const dmd_run_t *x = &a->run, *y = &b->run;
  return x->sample_interval == y->sample_interval || (x->sample_interval | x->sample_below) == 0 ||
         (y->sample_interval | y->sample_below) == 0;
}

/* Whether the amounts of the group are estimates. */
static inline bool dmd_group_is_estimated(const dmd_profile_t *profile, const dmd_group_t *group) {
  return group->sampled && profile->run.sample_interval > 0;
}

/* The number of blocks of a group, and the sum of szB_each over them. Negative numbers are possible
 * in a difference. */
int64_t dmd_group_blocks(const dmd_profile_t *profile, const dmd_group_t *group);
int64_t dmd_group_bytes(const dmd_profile_t *profile, const dmd_group_t *group, uint64_t szB_each);

/* The usable bytes of a group. */
static inline int64_t dmd_group_usable(const dmd_profile_t *profile, const dmd_group_t *group) {
  return dmd_group_bytes(profile, group, group->req + group->slop);
}

/* szB * times, at most DMD_MAX_TOTAL. */
uint64_t dmd_szB_times(uint64_t szB, uint32_t times);

/* The bytes that the reports of a group count too often: n - 1 times those of a block with n
 * reports. */
int64_t dmd_group_excess(const dmd_profile_t *profile, const dmd_group_t *group);

/* The variances of blocks and bytes; 0 if they are not such estimates. */
typedef struct dmd_variance {
  double blocks, bytes;
} dmd_variance_t;

dmd_variance_t dmd_group_variance(const dmd_profile_t *profile, const dmd_group_t *group);

static inline void dmd_variance_add(dmd_variance_t *to, dmd_variance_t v) {
  to->blocks += v.blocks;
  to->bytes += v.bytes;
}

/* Whether all groups of a profile read from a file stand for at most as many bytes and blocks as
 * sums may have (DMD_MAX_TOTAL). */
bool dmd_sampled_fits(const dmd_profile_t *profile);

#endif
