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
 *
 * In brief, for narrow cells, also without the folders of an object whose function is unknown:
 *
 *   python3.11+0x4fea69
 */
#ifndef DMD_ANALYSE_RECORDS_PLAIN_H
#define DMD_ANALYSE_RECORDS_PLAIN_H

#include "base/strbuf.h"
#include "model/profile/frame.h"

/* Append the frame's text as shown; its function's name as shown, "???" if unnamed. */
void dmd_frame_shown(dmd_strbuf_t *to, const dmd_frames_t *frames, uint32_t frame);
void dmd_function_shown(dmd_strbuf_t *to, const dmd_location_t *location);

/* Appends the frame's text in brief. */
void dmd_frame_brief(dmd_strbuf_t *to, const dmd_frames_t *frames, uint32_t frame);

/* True if only the frame's object and the offset in it are known. */
bool dmd_frame_is_nameless(const dmd_frames_t *frames, uint32_t frame);

/* True if the text as shown may differ from the frame's own text. */
bool dmd_frame_is_shortened(const dmd_frames_t *frames, uint32_t frame);

/* The frame without line and offset; the caller frees it with the env of the frames. */
char *dmd_frame_without_line(const dmd_frames_t *frames, uint32_t frame);

/* The id of that text in a collection. */
uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const dmd_frames_t *frames,
                                       uint32_t frame);

#endif
