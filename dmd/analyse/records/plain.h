/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * plain.h: shorter forms of frames.
 *
 * Without line and offset, which change with edits elsewhere:
 *
 *   cookies_new (cookies.c)
 *   sqlite3Malloc[/usr/lib/libsqlite3.so]
 *
 * As shown, with a shortened function name (base/fnname.h):
 *
 *   std::vector<...>::_M_realloc_insert<...>(int const&) (vector.tcc:440)
 */
#ifndef DMD_ANALYSE_RECORDS_PLAIN_H
#define DMD_ANALYSE_RECORDS_PLAIN_H

#include "base/strbuf.h"
#include "model/profile/frame.h"

/* Append the frame's text as shown; its function's name as shown, "???" if unnamed. */
void dmd_frame_shown(dmd_strbuf_t *to, const dmd_frames_t *frames, uint32_t frame);
void dmd_function_shown(dmd_strbuf_t *to, const dmd_location_t *location);

/* True if the text as shown may differ from the frame's own text. */
bool dmd_frame_is_shortened(const dmd_frames_t *frames, uint32_t frame);

/* The frame without line and offset; the caller frees it with the env of the frames. */
char *dmd_frame_without_line(const dmd_frames_t *frames, uint32_t frame);

/* The id of that text in a collection. */
uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const dmd_frames_t *frames,
                                       uint32_t frame);

#endif
