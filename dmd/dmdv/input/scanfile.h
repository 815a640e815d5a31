/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scanfile.h: loads a heap graph from a graph file or from a profile of mode scan.
 */
#ifndef DMD_DMDV_INPUT_SCANFILE_H
#define DMD_DMDV_INPUT_SCANFILE_H

#include "dmdv/input/profilefile.h"

/* Makes a graph, uninitialised so far, from the file with this name ("-": standard input). False,
 * with *fail filled in and nothing to destroy, if that fails. */
bool dmdv_load_graph_or_scan(dmd_heapgraph_t *graph, const char *name,
                             const dmd_load_graph_options_t *options, dmd_fail_t *fail);

#endif
