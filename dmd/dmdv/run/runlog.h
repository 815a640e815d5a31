/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * runlog.h: the messages of a run's processes, each line prefixed with its process: on standard
 * error or in the files of --log-file.
 *
 * dmdv writes them instead of the processes, which may have closed their standard error or become
 * another user.
 */
#ifndef DMD_DMDV_RUN_RUNLOG_H
#define DMD_DMDV_RUN_RUNLOG_H

#include "base/intern.h"
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>

typedef struct dmdv_runlog {
  const char *pattern; /* of --log-file, with %p for the process; NULL: standard error */
  dmd_intern_t begun;  /* names of files that this run has created or truncated */
  FILE *file;          /* the last one written to; NULL: none */
  uint32_t file_id;    /* its name in `begun` */
} dmdv_runlog_t;

void dmdv_runlog_init(dmdv_runlog_t *log, const char *pattern);
void dmdv_runlog_destroy(dmdv_runlog_t *log);

/* Creates or truncates the process's file, unless this run has already written to it. */
void dmdv_runlog_begin(dmdv_runlog_t *log, uint64_t pid);

/* The stream for the process's lines; valid until the next call. */
FILE *dmdv_runlog_file(dmdv_runlog_t *log, uint64_t pid);

/* Writes a line, given without its end. Escapes control characters. */
void dmdv_runlog_say(dmdv_runlog_t *log, uint64_t pid, const char *line);

#endif
