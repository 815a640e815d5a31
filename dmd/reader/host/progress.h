/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * progress.h: shows people who wait that dmdv is at work.
 *
 * Only where standard error is a terminal, and only once the work has taken longer than a second:
 * one line, rewritten a few times a second and taken away at the end. It tells of files that are
 * read, and of what the core computes (dmd_env_t.tell).
 */
#ifndef DMD_READER_HOST_PROGRESS_H
#define DMD_READER_HOST_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dmdv_progress {
  bool is_wanted;
  bool is_shown;
  double next; /* when to show it again, in seconds of a steady clock */
} dmdv_progress_t;

void dmdv_progress_start(dmdv_progress_t *progress);

/* How far the reading of a file is: so many bytes were made of it, and so many were read of the
 * file's own, of which there are `total` (0: unknown, as of a pipe). */
typedef struct dmdv_read {
  uint64_t bytes, at, total;
  const char *verb; /* what is done to it, "counted"; NULL: "read" */
} dmdv_read_t;

/* Cheap: may be called for each piece of the input. */
void dmdv_progress_update(dmdv_progress_t *progress, const dmdv_read_t *read);

/* The line: "34% of 120 MB read" or, where the total is not known, "12 MB read". */
enum { DMDV_PROGRESS_MAX = 64 };
void dmdv_progress_text(char text[DMDV_PROGRESS_MAX], const dmdv_read_t *read);

void dmdv_progress_end(dmdv_progress_t *progress);

/* What is computed: so much of a total. */
typedef struct dmdv_work {
  const char *what; /* "dominators" */
  uint64_t done, total;
} dmdv_work_t;

/* One piece of work after the other, until dmdv_work_end: all of them together take longer than a
 * second before they are shown. Cheap. */
void dmdv_work_update(const dmdv_work_t *work);

/* Before anything else is written to the terminal. */
void dmdv_work_end(void);

/* The line: "dominators: 34%". */
void dmdv_work_text(char text[DMDV_PROGRESS_MAX], const dmdv_work_t *work);

#endif
