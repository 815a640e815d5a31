/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * written.h: which profiles a run of dmd wrote.
 *
 * dmd says so itself: it gets the name of a temporary file, and appends a line for each profile
 * that it has written, of whatever process (engine/listing.h). Profiles of a process that can no
 * longer reach that file, because it changed its root directory or user, are missing here.
 */
#ifndef DMD_READER_COMMAND_WRITTEN_H
#define DMD_READER_COMMAND_WRITTEN_H

#include <stddef.h>

typedef struct dmdv_written dmdv_written_t;

/* Before the run. pattern is the value of --dmd-out-file: if it is relative, files in the current
 * folder get relative paths. NULL, with one line on stderr, if there can be no temporary file. */
dmdv_written_t *dmdv_written_begin(const char *pattern);

/* The option that tells dmd where to write. */
const char *dmdv_written_option(const dmdv_written_t *written);

/* After the run: how many files were written, each counted once. */
size_t dmdv_written_end(dmdv_written_t *written);

/* The i-th of them, in the order in which they were last written. */
const char *dmdv_written_path(const dmdv_written_t *written, size_t i);

void dmdv_written_destroy(dmdv_written_t *written);

#endif
