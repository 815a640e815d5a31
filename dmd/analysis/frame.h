/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * frame.h: the parts of a frame's text.
 *
 *   cookies_new (cookies.c:12)          a function with its file and line
 *   sqlite3Malloc[libsqlite3.so +0xa6]  a function with its object and offset
 */
#ifndef DMD_ANALYSIS_FRAME_H
#define DMD_ANALYSIS_FRAME_H

#include "base/intern.h"

/* How much of the frame is the function, which may itself have parentheses and brackets. */
size_t dmd_frame_function_length(const char *frame);

/* Copies the frame without what changes when other code is edited, its line number or offset:
 * `cookies_new (cookies.c)`. The buffer has room for the whole frame and its NUL. */
void dmd_frame_without_line(char *to, const char *frame);

/* The id of the frame without these. */
uint32_t dmd_frame_intern_without_line(dmd_intern_t *to, const char *frame);

#endif
