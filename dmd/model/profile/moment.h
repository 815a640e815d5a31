/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * moment.h: a profile shows the heap at its dump, or at its peak.
 *
 * A profile with the records of the peak (has_peak in profile.h) has both moments. All analyses
 * work on `groups` alone, so one of the two is chosen first.
 */
#ifndef DMD_MODEL_PROFILE_MOMENT_H
#define DMD_MODEL_PROFILE_MOMENT_H

#include "model/profile/profile.h"

typedef enum {
  DMD_MOMENT_END,  /* the dump */
  DMD_MOMENT_PEAK, /* the peak, or the dump if its records are not there */
  DMD_MOMENT_AUTO, /* the peak if it matters */
  DMD_MOMENT_ALL   /* keep both: for a profile that is only written again */
} dmd_moment_choice_t;

/* True if the peak says more than the dump: the program has ended with much less memory, and no
 * reporter ran. */
bool dmd_peak_matters(const dmd_profile_t *profile);

/* Drops all records but those of this moment. */
void dmd_moment_choose(dmd_profile_t *profile, dmd_moment_choice_t choice);

/* What a profile has of the moment that it does not show. */
typedef struct dmd_moment_side {
  dmd_pool_t groups;
  dmd_mode_t mode;
  dmd_scanned_t scanned;
  dmd_footprint_t memory;
  bool is_peak;
} dmd_moment_side_t;

/* The peak of a profile that shows its dump. Destroy it before the profile. */
void dmd_moment_side_init_peak(dmd_moment_side_t *side, const dmd_profile_t *profile);
void dmd_moment_side_destroy(dmd_moment_side_t *side);

/* Shows the other moment. Afterwards the side has the one that was shown before. */
void dmd_moment_swap(dmd_profile_t *profile, dmd_moment_side_t *side);

#endif
