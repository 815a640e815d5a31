/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sourcelines.h: the lines of source around the frames that a page shows.
 *
 * A frame's file is found as reader/host/sourcefiles.h says; where there is none, or it has no such
 * line, there are no lines. Lines come in the order in which frames were wanted, until there are
 * too many; that is said.
 */
#ifndef DMD_READER_COMMAND_SOURCELINES_H
#define DMD_READER_COMMAND_SOURCELINES_H

#include "analysis/record.h"
#include "image/imagewriter.h"

typedef struct dmdv_sourcelines dmdv_sourcelines_t;

/* NULL, with the reason on stderr, where there is no such folder. */
dmdv_sourcelines_t *dmdv_sourcelines_begin(const char *folder);

/* Wants the lines of the frames of all records, those that hold most first, as far as records of so
 * many frames show them. */
void dmdv_sourcelines_want_records(dmdv_sourcelines_t *lines, dmd_profile_t *profile,
                                   uint32_t max_frames);

/* Wants those of all frames. */
void dmdv_sourcelines_want_frames(dmdv_sourcelines_t *lines, const dmd_frames_t *frames);

/* Writes what was found, and says what was not. Frees it. */
void dmdv_sourcelines_end(dmdv_sourcelines_t *lines, dmd_imagewriter_t *writer);

#endif
