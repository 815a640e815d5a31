/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_paths.h: on which ways roots reach some blocks, as text and as JSON.
 */
#ifndef DMD_TEXT_TEXT_PATHS_H
#define DMD_TEXT_TEXT_PATHS_H

#include "base/jsonout.h"
#include "graph/paths.h"

/* A paragraph for each shape, a line for each step: most blocks first. max_shapes: that are shown
 * at most; 0: all. */
void dmd_paths_print(dmd_out_t *out, const dmd_paths_t *paths, uint32_t max_shapes);

/* {"blocks", "bytes", "lost": {"blocks", "bytes"}, "paths": [{"count", "bytes", "steps":
 *  [{"root"}, {"type", "evidence", "member", "offset", "repeats", "doubtful"}, ...]}]} */
void dmd_paths_json(dmd_out_t *out, const dmd_paths_t *paths);

/* Parts of it, as members of the object that is open: all but "paths", and of these [first, end).
 */
void dmd_paths_write_sums(dmd_jsonout_t *j, const dmd_paths_t *paths);
void dmd_paths_write_paths(dmd_jsonout_t *j, const dmd_paths_t *paths, uint32_t first,
                           uint32_t end);

#endif
