/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * plain.h: frames without what changes when lines are put in elsewhere, the line and the offset:
 *
 *   cookies_new (cookies.c)
 *   sqlite3Malloc[/usr/lib/libsqlite3.so]
 */
#ifndef DMD_ANALYSIS_PLAIN_H
#define DMD_ANALYSIS_PLAIN_H

#include "profile/frame.h"

/* The frame without these; the caller gives it back to the env of the frames. */
char *dmd_frame_without_line(const dmd_frames_t *frames, uint32_t frame);

/* Its id in a collection of such texts. */
uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const dmd_frames_t *frames,
                                       uint32_t frame);

#endif
