/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * viewfiles.h: the files that `dmdv view` puts into a page.
 *
 * A file's contents decide its kind. A heap graph beside a profile is included if it is of the same
 * moment; an unreadable one is reported and skipped. A graph that is too large for a page is
 * skipped too, unless no other file is left.
 */
#ifndef DMD_DMDV_VIEW_VIEWFILES_H
#define DMD_DMDV_VIEW_VIEWFILES_H

#include "base/out.h"
#include "dmdv/commandline/commandline.h"
#include "dmdv/graph/typedgraph.h"
#include "dmdv/input/profilefile.h"

typedef struct dmdv_view_options {
  dmd_load_options_t load; /* its frame view applies to graphs too */
  dmdv_typedgraph_options_t graph;
  dmd_moment_choice_t moment; /* with which the page opens: end, peak or auto */
  bool with_graphs_beside;
  uint32_t max_frames;
  bool anonymize;
  const char *source; /* the folder with the program's source; NULL: none */
} dmdv_view_options_t;

/* Writes the bundle of all files. False, after reporting the reason, if one of the given files
 * cannot be read. */
bool dmdv_viewfiles_write(const dmdv_files_t *files, const dmdv_view_options_t *options,
                          dmd_write_fn write, void *ctx);

#endif
