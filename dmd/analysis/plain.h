/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * plain.h: frames without what people do not ask for.
 *
 * Without what changes when lines are put in elsewhere, the line and the offset:
 *
 *   cookies_new (cookies.c)
 *   sqlite3Malloc[/usr/lib/libsqlite3.so]
 *
 * As they are shown, with their function's name shortened (base/fnname.h):
 *
 *   std::vector<...>::_M_realloc_insert<...>(int const&) (vector.tcc:440)
 */
#ifndef DMD_ANALYSIS_PLAIN_H
#define DMD_ANALYSIS_PLAIN_H

#include "base/strbuf.h"
#include "profile/frame.h"

/* Appends the frame's text as it is shown, and its function's name, "???" where it has none. */
void dmd_frame_shown(dmd_strbuf_t *to, const dmd_frames_t *frames, uint32_t frame);
void dmd_function_shown(dmd_strbuf_t *to, const dmd_location_t *location);

/* Whether it may be shown otherwise than its text is. */
bool dmd_frame_is_shortened(const dmd_frames_t *frames, uint32_t frame);

/* The frame without line and offset; the caller gives it back to the env of the frames. */
char *dmd_frame_without_line(const dmd_frames_t *frames, uint32_t frame);

/* Its id in a collection of such texts. */
uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const dmd_frames_t *frames,
                                       uint32_t frame);

#endif
