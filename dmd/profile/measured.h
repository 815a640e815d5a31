/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * measured.h: what the reporters of a profile measured, by path.
 *
 * A reporter measured the usable bytes of the blocks that it reported. A block that was reported
 * twice counts for both reports, as it does when the program adds up its own numbers. A block that
 * several owners share counts for each with its share, so that together they count it once.
 *
 * Cost: one walk over the groups, and a sort of the reporters; each question is then a binary
 * search.
 */
#ifndef DMD_PROFILE_MEASURED_H
#define DMD_PROFILE_MEASURED_H

#include "profile/profile.h"

typedef struct dmd_measured {
  const dmd_profile_t *profile;
  int64_t *by_reporter; /* by name id; [DMD_NONE]: outside of any reporter */
  int64_t *shared; /* likewise, how much more the sum would be if shared blocks counted whole */
  uint32_t *order; /* name ids of the reporters that measured something, by path */
  int64_t *before; /* for each place in order, and for its end, the sum of those before it */
  uint32_t n;
} dmd_measured_t;

/* The profile must stay as it is until the sums are destroyed. */
void dmd_measured_init(dmd_measured_t *measured, const dmd_profile_t *profile);
void dmd_measured_destroy(dmd_measured_t *measured);

/* The bytes that the reporter with exactly this path measured, in parts where blocks are shared,
 * and with shared blocks whole; and those of this path and all that lie below it. */
int64_t dmd_measured_at(const dmd_measured_t *measured, const char *path);
int64_t dmd_measured_whole(const dmd_measured_t *measured, const char *path);
int64_t dmd_measured_at_or_below(const dmd_measured_t *measured, const char *path);

#endif
