/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * viewfiles.h: the files that `dmdv view` puts into a page.
 *
 * Which kind a file is, its contents tell. A heap graph that lies beside a profile is taken too,
 * where it is of the same moment; that it cannot be read is said, and no obstacle. Nor is a graph
 * that is larger than a page bears, unless nothing else is left.
 */
#ifndef DMD_READER_COMMAND_VIEWFILES_H
#define DMD_READER_COMMAND_VIEWFILES_H

#include "base/out.h"
#include "reader/command/commandline.h"
#include "reader/command/typedgraph.h"
#include "reader/input/load.h"

typedef struct dmdv_view_options {
  dmd_load_options_t load; /* its frame view is for graphs too */
  dmdv_typedgraph_options_t graph;
  bool with_graphs_beside;
  uint32_t max_frames;
  bool anonymize;
  const char *source; /* the folder with the program's source; NULL: not wanted */
} dmdv_view_options_t;

/* Writes the image of all files. False, after it has said why, when one that was given cannot be
 * read. */
bool dmdv_viewfiles_write(const dmdv_files_t *files, const dmdv_view_options_t *options,
                          dmd_write_fn write, void *ctx);

#endif
