/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sourcelines.h: the lines of source around the frames that a page shows.
 *
 * host/sourcefiles.h finds a frame's file. If the file is not found or lacks the line, the frame
 * has no source lines. Lines are written in the order in which frames were wanted, up to a limit;
 * if the limit is reached, that is reported.
 */
#ifndef DMD_DMDV_VIEW_SOURCELINES_H
#define DMD_DMDV_VIEW_SOURCELINES_H

#include "analyse/records/record.h"
#include "files/bundle/bundlewriter.h"

typedef struct dmdv_sourcelines dmdv_sourcelines_t;

/* NULL, with the reason on stderr, if the folder does not exist. */
dmdv_sourcelines_t *dmdv_sourcelines_begin(const char *folder);

/* Wants the lines of the frames of all records, the largest first, as far as records cut to so many
 * frames show them. */
void dmdv_sourcelines_want_records(dmdv_sourcelines_t *lines, dmd_profile_t *profile,
                                   uint32_t max_frames);

/* Wants the lines of all frames. */
void dmdv_sourcelines_want_frames(dmdv_sourcelines_t *lines, const dmd_frames_t *frames);

/* Writes the lines that were found, and reports those that were not. Frees the struct. */
void dmdv_sourcelines_end(dmdv_sourcelines_t *lines, dmd_bundlewriter_t *writer);

#endif
