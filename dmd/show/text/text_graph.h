/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_graph.h: what analyses of heap graphs found, as text and as JSON.
 *
 * The functions of each analysis are in a file of its own, text_census.c and so on. JSON: see
 * docs/format.md.
 */
#ifndef DMD_SHOW_TEXT_TEXT_GRAPH_H
#define DMD_SHOW_TEXT_TEXT_GRAPH_H

#include "analyse/graph/census.h"
#include "analyse/graph/kinds.h"
#include "analyse/graph/leaks.h"
#include "analyse/graph/paths.h"
#include "analyse/graph/proposal.h"
#include "analyse/graph/retained.h"
#include "base/jsonout.h"
#include "base/out.h"
#include "model/graph/referrers.h"

/* ---- Census. ----
 *
 * JSON: {"total": {"blocks", "bytes", "slop"}, "rows": [{"key": {KEY: NAME}, "evidence", "blocks",
 * "bytes", "slop", "rows"}]}. A stack is a list of frames. */

/* Prints the rows of a finished census, at most max_rows within each row (0: all). heap_szB: usable
 * bytes of all blocks, which shares refer to. */
void dmd_census_print(dmd_out_t *out, const dmd_census_t *census, int64_t heap_szB,
                      uint32_t max_rows);

void dmd_census_json(dmd_out_t *out, const dmd_census_t *census);

/* Parts of it, as members of the open object: a row without its inner rows, and the amounts of a
 * row or the total. */
void dmd_census_write_row(dmd_jsonout_t *j, const dmd_census_t *census,
                          const dmd_census_row_t *row);
void dmd_census_write_amounts(dmd_jsonout_t *j, const dmd_census_row_t *row);

/* ---- Owners. ----
 *
 * The owners that should have measured the unreported blocks, as text and as JSON. */

typedef struct dmd_owners_view {
  const dmd_owners_t *owners;
  const dmd_variable_namer_t *namer; /* NULL: variables have no names */
  uint32_t max_records;              /* 0: all. JSON always has all */
} dmd_owners_view_t;

/* Prints a paragraph for each unreported record, the largest first. */
void dmd_owners_print(dmd_out_t *out, const dmd_owners_view_t *view);

/* {"unreported": {"blocks", "bytes"}, "rows": [{"record", "type", "evidence", "blocks", "bytes",
 *  "allocatedAt", "owner": {"owned", "blocks", "bytes", "reporter", "reportedAt", "type", "member",
 *  "through", "root"}, "proposal": {"line", "function", "file", "at"}}]} */
void dmd_owners_json(dmd_out_t *out, const dmd_owners_view_t *view);

/* Parts of it, as members of the open object: the sum, and rows [first, end). */
void dmd_owners_write_sum(dmd_jsonout_t *j, const dmd_owners_view_t *view);
void dmd_owners_write_rows(dmd_jsonout_t *j, const dmd_owners_view_t *view, uint32_t first,
                           uint32_t end);

/* Looks up owners for the records of another profile of the same moment, by stack. */
typedef struct dmd_owner_hint {
  const dmd_owners_view_t *view;
  dmd_intern_t stacks; /* of the graph's unreported records, one frame per line */
  dmd_pool_t records;  /* by stack: uint32_t, a record of the graph */
} dmd_owner_hint_t;

/* Must not be moved in memory. The view's records must be cut like the records to look up. */
void dmd_owner_hint_init(dmd_owner_hint_t *hint, const dmd_owners_view_t *view);
void dmd_owner_hint_destroy(dmd_owner_hint_t *hint);

/* Like owners_print_hint, for a record of the other profile. False if nothing is known. */
bool dmd_owner_hint_print(dmd_out_t *out, const dmd_owner_hint_t *hint,
                          const dmd_records_t *records, const dmd_record_t *record);

/* ---- Leaks. ----
 *
 * The result of a leak check, as text and as JSON. */

typedef struct dmd_leaks_view {
  const dmd_leakrows_t *rows;
  dmd_kinds_t *kinds;
  unsigned states;   /* of the rows to show: bits 1 << dmd_leak_state_t */
  uint32_t max_rows; /* per state; 0: all. JSON always has all */
} dmd_leaks_view_t;

/* Prints a paragraph for each row, then the sums. */
void dmd_leaks_print(dmd_out_t *out, const dmd_leaks_view_t *view);

/* {"definitely": {"blocks", "bytes"}, "indirectly", "possibly", "reachable", "ignored" likewise,
 *  "rows": [{"state", "type", "evidence", "blocks", "bytes", "hangingBlocks", "hangingBytes",
 *            "allocatedAt"}]} */
void dmd_leaks_json(dmd_out_t *out, const dmd_leaks_view_t *view);

/* Parts of it, as members of the open object: the sums, and rows [first, end). */
void dmd_leaks_write_sums(dmd_jsonout_t *j, const dmd_leaks_view_t *view);
void dmd_leaks_write_rows(dmd_jsonout_t *j, const dmd_leaks_view_t *view, uint32_t first,
                          uint32_t end);

/* ---- Paths. ----
 *
 * The paths from roots to selected blocks, as text and as JSON. */

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

/* ---- Referrers. ----
 *
 * The referrers to a block of a heap graph, or the blocks it points to, as text
 * and as JSON. */

typedef struct dmd_referrers_view {
  dmd_kinds_t *kinds;
  const dmd_referrers_t *referrers; /* NULL: show where the block's own pointers lead */
  const dmd_refchain_t *chain;      /* the block, and a chain of single referrers to it */
  const bool *picks;                /* by node: whether its pointers count; NULL: all do */
  uint32_t max_frames;              /* of stacks */
  uint32_t max_rows;                /* 0: all; not used for JSON */
} dmd_referrers_view_t;

/* Prints a paragraph for the block, and one for each referrer. */
void dmd_referrers_print(dmd_out_t *out, const dmd_referrers_view_t *view);

/* {"steps": [{"block": {"address", "requested", "slop", "type", "evidence", "allocatedAt"},
 *   "referrers": [{"root"} or as "block", with "pointers": [{"member", "offset", "into",
 *   "doubtful"}]],
 *   "pointers": [{"member", "offset", "into", "doubtful", "to": as "block"}]}], "end"} */
void dmd_referrers_json(dmd_out_t *out, const dmd_referrers_view_t *view);

/* ---- Retained sizes. ----
 *
 * How much of a heap each root and block retains, as text and as JSON.
 *
 * Text has a line for each row, indented by its depth: retained bytes, their share of the heap, the
 * row's blocks and their own bytes, then the member that holds them and their type. */

void dmd_retained_print(dmd_out_t *out, const dmd_retainedrows_t *rows);

/* {"total": {"blocks", "bytes", "retained"}, "rows": [{"name", "type", "evidence", "address",
 * "held", "blocks", "bytes", "retained", "retainedAtLeast", "rows"}]} */
void dmd_retained_json(dmd_out_t *out, const dmd_retainedrows_t *rows);

/* Parts of it, as members of the open object: "total", and a row without its inner rows. */
void dmd_retained_write_total(dmd_jsonout_t *j, const dmd_retainedrows_t *rows);
void dmd_retained_write_row(dmd_jsonout_t *j, const dmd_retainedrows_t *rows,
                            const dmd_retained_row_t *row);

#endif
