/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typedgraph.h: a heap graph out of a file, with the types of its nodes.
 */
#ifndef DMD_READER_COMMAND_TYPEDGRAPH_H
#define DMD_READER_COMMAND_TYPEDGRAPH_H

#include "base/fail.h"
#include "base/optiontable.h"
#include "graph/typing.h"
#include "reader/types/typefinder.h"

typedef struct dmdv_typedgraph_options {
  bool with_types;       /* false: debug information is not looked at */
  const char *debug_dir; /* where separate debug information is searched first; NULL: nowhere */
  dmd_frame_view_t frame_view;
  bool or_scan; /* a profile of mode scan will do, in which no types are known */
} dmdv_typedgraph_options_t;

/* The lines of a command's table of options, whose struct has such options as this member. */
#define DMDV_TYPEDGRAPH_OPTIONS(options_t, member)                                                 \
  {"types",         "no|yes",                                                                      \
   "yes",           "find the types of blocks in the program's debug information",                 \
   DMD_OPTION_WORD, DMD_OPTION_AT(options_t, member.with_types)},                                  \
  {                                                                                                \
    "debug-dir", "FOLDER", NULL,                                                                   \
        "look here first for separate debug information, by its name and in .build-id",            \
        DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, member.debug_dir), .is_file = true               \
  }

typedef struct dmdv_typedgraph {
  dmd_heapgraph_t heap;
  dmd_types_t types;
  dmd_typing_t typing;
  dmdv_typefinder_t *finder; /* which reads members of types when they are asked for; NULL: none */
} dmdv_typedgraph_t;

/* Loads the file with this name ("-": standard input). False, with *fail filled in and nothing to
 * close, if that fails. Must stay where it is until it is closed. */
bool dmdv_typedgraph_open(dmdv_typedgraph_t *graph, const char *name,
                          const dmdv_typedgraph_options_t *options, dmd_fail_t *fail);
void dmdv_typedgraph_close(dmdv_typedgraph_t *graph);

#endif
