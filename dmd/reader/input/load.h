/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load.h: files as profiles, as memory reports that about:memory saved, or as heap graphs:
 * load/load.h and load/load_graph.h read what is in them.
 */
#ifndef DMD_READER_INPUT_LOAD_H
#define DMD_READER_INPUT_LOAD_H

#include "load/load.h"
#include "load/load_graph.h"
#include "load/load_history.h"
#include "reader/input/input.h"

/* Fills an initialised, empty profile from the file with this name ("-": standard input). False,
 * with *fail filled in, if that fails; the profile then holds a part of the file. Destroy it either
 * way. Do not add groups or report sets to the profile afterwards. */
bool dmdv_load(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options,
               dmd_fail_t *fail);

/* The same, and nobody is shown how far it is: for threads. */
bool dmdv_load_silently(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options,
                        dmd_fail_t *fail);

/* The same as dmdv_load from an open input, which the caller closes. */
bool dmdv_load_input(dmd_profile_t *profile, dmdv_input_t *input, const dmd_load_options_t *options,
                     dmd_fail_t *fail);

/* Adds the reports of a file that about:memory saved to an initialised collection. */
bool dmdv_load_reports_input(dmd_amounts_t *amounts, dmdv_input_t *input, dmd_fail_t *fail);

/* Fills one of the two from the file with this name, which may be of either kind: its keys tell
 * which. */
bool dmdv_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const char *name,
                      bool *is_profile, dmd_fail_t *fail);

/* Gives the items of the history in the file with this name ("-": standard input) to the taker, as
 * dmd_load_history does. */
bool dmdv_load_history(const dmd_history_taker_t *taker, void *ctx, const char *name,
                       dmd_fail_t *fail);
bool dmdv_load_history_input(const dmd_history_taker_t *taker, void *ctx, dmdv_input_t *input,
                             dmd_fail_t *fail);

/* Makes a graph, uninitialised so far, of the file with this name ("-": standard input). False,
 * with *fail filled in and nothing to destroy, if that fails. */
bool dmdv_load_graph(dmd_heapgraph_t *graph, const char *name,
                     const dmd_load_graph_options_t *options, dmd_fail_t *fail);

/* The same from an open input, which the caller closes; dmdv_input_keep was called. */
bool dmdv_load_graph_input(dmd_heapgraph_t *graph, dmdv_input_t *input,
                           const dmd_load_graph_options_t *options, dmd_fail_t *fail);

#endif
