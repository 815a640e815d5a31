/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * changes.h: what happened between two profiles, by place.
 *
 * A place is an allocation stack, cut to the frame limit, without line numbers and offsets: code
 * that was only moved by an edit elsewhere in its file is the same place. Each place whose blocks
 * changed is new, gone, grown, shrunk, or has changed its status: most of its bytes were in one
 * report state before and are in another now. The largest changes come first.
 */
#ifndef DMD_ANALYSIS_CHANGES_H
#define DMD_ANALYSIS_CHANGES_H

#include "analysis/tally.h"

typedef enum {
  DMD_CHANGE_STATUS, /* of most of the bytes */
  DMD_CHANGE_NEW,
  DMD_CHANGE_GONE,
  DMD_CHANGE_GROWN,
  DMD_CHANGE_SHRUNK,
  DMD_CHANGE_OTHER /* as many bytes, in other blocks or states */
} dmd_change_t;

typedef struct dmd_place {
  dmd_tally_t before, now;
  uint32_t stack; /* the cut stack as it reads in one of the profiles, the newer if in both */
} dmd_place_t;

typedef struct dmd_changes {
  dmd_mode_t mode;
  dmd_tally_t before, now; /* of the whole heaps */
  dmd_profile_t shown;     /* has nothing but the stacks of the places */
  dmd_pool_t places;       /* all, those that did not change too */
  uint32_t *order;         /* the ids of those that did */
  uint32_t n;
} dmd_changes_t;

/* Both profiles have the same mode, and are not needed afterwards. The changes must stay where they
 * are until they are destroyed. */
void dmd_changes_init(dmd_changes_t *changes, const dmd_profile_t *before, const dmd_profile_t *now,
                      uint32_t max_frames);
void dmd_changes_destroy(dmd_changes_t *changes);

/* The i-th place of the order, from 0. */
static inline const dmd_place_t *dmd_changes_at(const dmd_changes_t *changes, uint32_t i) {
  return DMD_POOL_AT(&changes->places, const dmd_place_t, changes->order[i]);
}

dmd_change_t dmd_place_change(const dmd_place_t *place);

/* The state that most of the bytes are in. */
dmd_section_t dmd_tally_main_state(const dmd_tally_t *tally);

#endif
