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

typedef struct dmdv_typedgraph_options {
  bool with_types; /* false: debug information is not read */
  const char
      *debug_dir; /* searched first for separate debug information; NULL: no further folder */
  dmd_frame_view_t frame_view;
  bool or_scan; /* also accept a profile of mode scan, whose graph has no types */
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
void dmdv_typedgraph_close(dmdv_typedgraph_t *graph);

#endif
