/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * changes.h: the changes between two profiles, by place.
 *
 * A place is an allocation stack cut to the frame limit, without line numbers and offsets, so that
 * code moved by an edit elsewhere in its file stays the same place. A place whose blocks changed is
 * new, gone, grown, shrunk, or has changed status: most of its bytes were in one report state
 * before and are in another now. The largest changes come first.
 */
#ifndef DMD_ANALYSE_RECORDS_CHANGES_H
#define DMD_ANALYSE_RECORDS_CHANGES_H

#include "analyse/records/sums.h"

typedef enum {
  DMD_CHANGE_STATUS, /* most of the bytes changed state */
  DMD_CHANGE_NEW,
  DMD_CHANGE_GONE,
  DMD_CHANGE_GROWN,
  DMD_CHANGE_SHRUNK,
  DMD_CHANGE_OTHER /* equal bytes, in other blocks or states */
} dmd_change_t;

typedef struct dmd_place {
  dmd_tally_t before, now;
  uint32_t stack; /* the cut stack as in one of the profiles, preferably the newer */
} dmd_place_t;

typedef struct dmd_changes {
  dmd_mode_t mode;
  bool is_of_peak;         /* the newer heap is the one at the peak */
  dmd_tally_t before, now; /* totals of the heaps */
  dmd_profile_t shown;     /* contains only the stacks of the places */
  dmd_pool_t places;       /* including unchanged ones */
  uint32_t *order;         /* ids of the changed ones */
  uint32_t n;
} dmd_changes_t;

/* Both profiles must have the same mode; they are not needed afterwards. The changes must stay in
 * place until they are destroyed. */
void dmd_changes_init(dmd_changes_t *changes, const dmd_profile_t *before, const dmd_profile_t *now,
                      uint32_t max_frames);
void dmd_changes_destroy(dmd_changes_t *changes);

/* The i-th place of the order, from 0. */
static inline const dmd_place_t *dmd_changes_at(const dmd_changes_t *changes, uint32_t i) {
  return DMD_POOL_AT(&changes->places, const dmd_place_t, changes->order[i]);
}

dmd_change_t dmd_place_change(const dmd_place_t *place);

/* The state with most of the bytes. */
dmd_section_t dmd_tally_main_state(const dmd_tally_t *tally);

#endif
