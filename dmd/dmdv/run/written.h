/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * written.h: collects which profiles and heap graphs a run wrote.
 *
 * Under Valgrind, dmd appends a line to a temporary file for each file that any of its processes
 * has written (record/engine/listing.h). A process that can no longer reach that file, because it
 * changed its root directory or user, is missing from it. dmdv itself adds the profiles of the
 * native engine (received.h).
 */
#ifndef DMD_DMDV_RUN_WRITTEN_H
#define DMD_DMDV_RUN_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmdv_written dmdv_written_t;

/* Call it before the run. pattern is the value of --dmd-out-file: if it is relative, files in the
 * current folder get relative paths. has_list: use a temporary file; returns NULL, with one line on
 * stderr, if it cannot be made. */
dmdv_written_t *dmdv_written_begin(const char *pattern, bool has_list);

/* The option that makes dmd append to the list. */
const char *dmdv_written_option(const dmdv_written_t *written);

/* The path as listed, relative if that is wanted. Points into `path`. */
const char *dmdv_written_shorten(const dmdv_written_t *written, const char *path);

/* A dump of a process. */
typedef struct {
  uint64_t pid, number;
} dmdv_dump_id_t;

/* Adds a profile. needs_names: dmdv may add names to its frames. */
void dmdv_written_add(dmdv_written_t *written, const char *path, dmdv_dump_id_t dump,
                      bool needs_names);

/* Adds a heap graph. */
void dmdv_written_add_graph(dmdv_written_t *written, const char *path, dmdv_dump_id_t dump);

/* After the run: the number of profiles that were written, each counted once. Notes which files
 * were written more than once, so that profiles are lost. */
size_t dmdv_written_end(dmdv_written_t *written);

/* The i-th file, in the order of their last writes. */
const char *dmdv_written_path(const dmdv_written_t *written, size_t i);

bool dmdv_written_needs_names(const dmdv_written_t *written, size_t i);

/* After the end: appends the graph of the same dump to each profile, if the run wrote one. */
void dmdv_written_join_graphs(const dmdv_written_t *written);

void dmdv_written_destroy(dmdv_written_t *written);

#endif
