/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profilefile.h: loads files as profiles, as memory reports saved by about:memory, or as heap
 * graphs. files/profile/profilereader.h and files/graph/graphreader.h parse them.
 */
#ifndef DMD_DMDV_INPUT_PROFILEFILE_H
#define DMD_DMDV_INPUT_PROFILEFILE_H

#include "dmdv/input/input.h"
#include "files/graph/graphreader.h"
#include "files/profile/historyreader.h"
#include "files/profile/profilereader.h"

/* Fills an initialised, empty profile from the file with this name ("-": standard input). False,
 * with *fail filled in, if that fails; the profile then holds a part of the file. Destroy it either
 * way. Do not add groups or report sets to the profile afterwards. */
bool dmdv_load(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options,
               dmd_fail_t *fail);

/* Loads from an open descriptor, and closes it. */
bool dmdv_load_fd(dmd_profile_t *profile, int fd, const dmd_load_options_t *options,
                  dmd_fail_t *fail);

/* As dmdv_load, without showing progress: for threads. */
bool dmdv_load_silently(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options,
                        dmd_fail_t *fail);

/* As dmdv_load, from an open input, which the caller closes. */
bool dmdv_load_input(dmd_profile_t *profile, dmdv_input_t *input, const dmd_load_options_t *options,
                     dmd_fail_t *fail);

/* Adds the reports in a file saved by about:memory to an initialised collection. */
bool dmdv_load_reports_input(dmd_amounts_t *amounts, dmdv_input_t *input, dmd_fail_t *fail);

/* Fills one of the two from the file with this name, whose keys show its kind. */
bool dmdv_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const char *name,
                      const dmd_load_options_t *options, bool *is_profile, dmd_fail_t *fail);

/* Adds the memory reports in the file with this name to an initialised collection, and completes
 * it. False if that fails, or if it is a profile. */
bool dmdv_load_reports(dmd_amounts_t *amounts, const char *name, dmd_fail_t *fail);

/* Whether the file with this name begins as a file of memory reports does. */
bool dmdv_has_reports(const char *name);

/* Passes the items of the history in the file with this name ("-": standard input) to the taker, as
 * dmd_load_history does. */
bool dmdv_load_history(const dmd_history_taker_t *taker, void *ctx, const char *name,
                       dmd_fail_t *fail);
bool dmdv_load_history_input(const dmd_history_taker_t *taker, void *ctx, dmdv_input_t *input,
                             dmd_fail_t *fail);

/* Makes a graph, uninitialised so far, from the file with this name ("-": standard input). False,
 * with *fail filled in and nothing to destroy, if that fails. */
bool dmdv_load_graph(dmd_heapgraph_t *graph, const char *name,
                     const dmd_load_graph_options_t *options, dmd_fail_t *fail);

/* Loads from an open input, for which dmdv_input_for_graph was called. The caller closes it. */
bool dmdv_load_graph_input(dmd_heapgraph_t *graph, dmdv_input_t *input,
                           const dmd_load_graph_options_t *options, dmd_fail_t *fail);

#endif
