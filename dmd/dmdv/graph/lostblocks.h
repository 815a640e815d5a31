/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lostblocks.h: adds up the lost blocks in the heap graphs beside some profiles, for dmdv check.
 */
#ifndef DMD_DMDV_GRAPH_LOSTBLOCKS_H
#define DMD_DMDV_GRAPH_LOSTBLOCKS_H

#include "analyse/limits/gate.h"
#include "analyse/limits/ignore.h"
#include "dmdv/commandline/commandline.h"

typedef struct dmdv_lost {
  dmd_profile_t profile;
  dmd_subject_t subject;
} dmdv_lost_t;

/* Makes it empty. The struct must not move. */
void dmdv_lost_init(dmdv_lost_t *lost);
void dmdv_lost_destroy(dmdv_lost_t *lost);

/* Adds the lost blocks of the graphs beside these profiles. False, with the reason on stderr, if a
 * graph is missing or cannot be read. */
bool dmdv_lost_find(dmdv_lost_t *lost, const dmdv_files_t *profiles, const dmd_frame_view_t *view,
                    dmd_ignore_t *ignore);

#endif
