/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lostblocks.h: what the heap graphs beside some profiles say is lost, for dmdv check.
 */
#ifndef DMD_READER_COMMAND_LOSTBLOCKS_H
#define DMD_READER_COMMAND_LOSTBLOCKS_H

#include "analysis/gate.h"
#include "analysis/ignore.h"
#include "reader/command/commandline.h"

typedef struct dmdv_lost {
  dmd_profile_t profile;
  dmd_subject_t subject;
} dmdv_lost_t;

/* Empty. Must stay where it is. */
void dmdv_lost_init(dmdv_lost_t *lost);
void dmdv_lost_destroy(dmdv_lost_t *lost);

/* Adds what is lost in the graphs beside these profiles. False, with the reason on stderr, where
 * there is no graph, or it cannot be read. */
bool dmdv_lost_find(dmdv_lost_t *lost, const dmdv_files_t *profiles, const dmd_frame_view_t *view,
                    dmd_ignore_t *ignore);

#endif
