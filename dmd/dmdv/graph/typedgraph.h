/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typedgraph.h: loads a heap graph from a file, with the types of its nodes.
 */
#ifndef DMD_DMDV_GRAPH_TYPEDGRAPH_H
#define DMD_DMDV_GRAPH_TYPEDGRAPH_H

#include "analyse/graph/typing.h"
#include "base/fail.h"
#include "base/optiontable.h"
#include "debuginfo/typefinder.h"
#include "files/graph/graphreader.h"

/* ---- Beside a profile. ----
 *
 * A heap graph is appended to the profile in the same file (files/graph/graphmember.h), or in a
 * file of its own with the same stem: `dmd.out.1234.json.gz` and `dmd.out.1234.graph.gz`. */

/* Appends the name of the file with the graph that belongs to a profile: the profile's own name if
 * it is in the same file. False if the profile has no graph, or if the graph's file belongs to
 * somebody other than the profile's owner, root or dmdv's user. */
bool dmdv_graph_beside(dmd_strbuf_t *to, const char *profile);

/* Whether a profile and a graph were written together: a file of this name may be from an earlier
 * run. */
bool dmdv_is_of_same_moment(const dmd_run_t *a, dmd_mode_t a_mode, const dmd_run_t *b,
                            dmd_mode_t b_mode);

/* ---- Graphs. ---- */

typedef struct dmdv_typedgraph_options {
  bool with_types; /* false: debug information is not read */
  const char
      *debug_dir; /* searched first for separate debug information; NULL: no further folder */
  dmd_frame_view_t frame_view;
  bool is_quiet; /* no note on missing debug information */
  bool or_scan;  /* also accept a profile of mode scan, whose graph has no types */
  bool (*is_wanted)(void *ctx, const dmd_graph_preview_t *preview); /* see graphreader.h */
  void *ctx;
} dmdv_typedgraph_options_t;

/* The rows of a command's table of options; its struct has these options as this member. */
#define DMDV_TYPEDGRAPH_OPTIONS(options_t, member)                                                 \
  {"types",         "no|yes",                                                                      \
   "yes",           "find the types of blocks in the program's debug information",                 \
   DMD_OPTION_WORD, DMD_OPTION_AT(options_t, member.with_types)},                                  \
  {                                                                                                \
    "debug-dir", "FOLDER", NULL,                                                                   \
        "search this folder first for separate debug information, by file name and in .build-id",  \
        DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, member.debug_dir), .is_file = true               \
  }

typedef struct dmdv_typedgraph {
  dmd_heapgraph_t heap;
  dmd_types_t types;
  dmd_typing_t typing;
  dmdv_typefinder_t *finder; /* reads members of types on demand; NULL: no types */
} dmdv_typedgraph_t;

/* Loads the file with this name ("-": standard input). False, with *fail filled in and nothing to
 * close, if that fails. The graph must not move until it is closed. */
bool dmdv_typedgraph_open(dmdv_typedgraph_t *graph, const char *name,
                          const dmdv_typedgraph_options_t *options, dmd_fail_t *fail);
/* Likewise for the name of a profile: opens the graph beside it. Reports why it cannot be opened;
 * for a profile without a graph, which command records one. */
bool dmdv_typedgraph_open_or_say(dmdv_typedgraph_t *graph, const char *name,
                                 const dmdv_typedgraph_options_t *options);

void dmdv_typedgraph_close(dmdv_typedgraph_t *graph);

#endif
