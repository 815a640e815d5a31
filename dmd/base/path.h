/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * path.h: paths of reporters and memory reports, with '/' between parts, and paths of files.
 */
#ifndef DMD_BASE_PATH_H
#define DMD_BASE_PATH_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Compares byte by byte, except that the end of a path sorts first and '/' next: everything below a
 * path follows directly after it. */
int dmd_path_compare(const char *a, const char *b);

/* Whether path is top, or below it. */
bool dmd_path_is_at_or_below(const char *path, const char *top);

/* The same for what a user wrote: `explicit/` means `explicit`, and nothing is below "". */
bool dmd_path_is_within(const char *path, const char *top);

/* The last part of a path. */
const char *dmd_path_base(const char *path);

/* Appends parts of a path as people read them. A '\' in a path stands for a slash that belongs to a
 * name, as in about:memory. */
void dmd_path_show(dmd_strbuf_t *to, const char *parts);

#endif
