/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * written.h: which profiles a run of dmd wrote.
 *
 * dmd names its files after a pattern, the process and the number of the dump (docs/manual.md, "The
 * files"), and a program may have any number of processes and dumps. So the folder is looked at
 * before and after the run: what is there after and was not there before, or not in this form, was
 * written in between.
 */
#ifndef DMD_READER_COMMAND_WRITTEN_H
#define DMD_READER_COMMAND_WRITTEN_H

#include <stddef.h>

typedef struct dmdv_written dmdv_written_t;

/* Before the run. The pattern is that of --dmd-out-file, without regard to %p in folders' names; it
 * must stay as it is until the end. */
dmdv_written_t *dmdv_written_begin(const char *pattern);

/* After the run: how many files were written. */
size_t dmdv_written_end(dmdv_written_t *written);

/* The i-th of them in the order of their writing, with its folder as the pattern has it. */
const char *dmdv_written_path(const dmdv_written_t *written, size_t i);

void dmdv_written_destroy(dmdv_written_t *written);

#endif
