/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_paths.h: the paths from roots to selected blocks, as text and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_PATHS_H
#define DMD_SHOW_TEXT_TEXT_PATHS_H

#include "analyse/graph/paths.h"
#include "base/jsonout.h"

/* Prints a paragraph for each shape, those with most blocks first, with a line for each step; at
 * most max_shapes (0: all). */
void dmd_paths_print(dmd_out_t *out, const dmd_paths_t *paths, uint32_t max_shapes);

/* {"blocks", "bytes", "lost": {"blocks", "bytes"}, "paths": [{"count", "bytes", "steps":
 *  [{"root"}, {"type", "evidence", "member", "offset", "repeats", "through", "doubtful"}, ...]}]}
 */
void dmd_paths_json(dmd_out_t *out, const dmd_paths_t *paths);

/* Parts of it, as members of the open object: all but "paths", and paths [first, end). */
void dmd_paths_write_sums(dmd_jsonout_t *j, const dmd_paths_t *paths);
void dmd_paths_write_paths(dmd_jsonout_t *j, const dmd_paths_t *paths, uint32_t first,
                           uint32_t end);

#endif
