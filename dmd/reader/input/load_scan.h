/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load_scan.h: a heap graph out of whichever file has one: that of a graph, or a profile of mode
 * scan.
 */
#ifndef DMD_READER_INPUT_LOAD_SCAN_H
#define DMD_READER_INPUT_LOAD_SCAN_H

#include "reader/input/load.h"

/* Makes a graph, uninitialised so far, of the file with this name ("-": standard input). False,
 * with *fail filled in and nothing to destroy, if that fails. */
bool dmdv_load_graph_or_scan(dmd_heapgraph_t *graph, const char *name,
                             const dmd_load_graph_options_t *options, dmd_fail_t *fail);

#endif
