/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * path.h: paths of reporters and memory reports, places in a tree whose parts '/' separates; and
 * those of files.
 */
#ifndef DMD_BASE_PATH_H
#define DMD_BASE_PATH_H

#include <stdbool.h>

/* Compares byte by byte, except that the end of a path sorts before everything and '/' next: what
 * lies below a path comes directly after it. */
int dmd_path_compare(const char *a, const char *b);

/* Whether path is top, or below it. */
bool dmd_path_is_at_or_below(const char *path, const char *top);

/* The last part. */
const char *dmd_path_base(const char *path);

#endif
