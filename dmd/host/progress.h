/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * progress.h: shows on the terminal that dmdv is at work.
 *
 * Only if standard error is a terminal, and only after the work has taken longer than a second: one
 * line, rewritten a few times a second and removed at the end. It covers the reading of files and
 * the long computations of the core (dmd_env_t.tell).
 */
#ifndef DMD_HOST_PROGRESS_H
#define DMD_HOST_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dmdv_progress {
  bool is_wanted;
  bool is_shown;
  double next; /* when to show it next, in seconds of a monotonic clock */
} dmdv_progress_t;

void dmdv_progress_start(dmdv_progress_t *progress);

/* How far a file has been read. bytes: decompressed; at: bytes of the file itself, of which there
 * are `total` (0: unknown, as for a pipe). */
typedef struct dmdv_read {
  uint64_t bytes, at, total;
  const char *verb; /* the past participle to show, such as "counted"; NULL: "read" */
} dmdv_read_t;

/* Cheap: may be called for each piece of the input. */
void dmdv_progress_update(dmdv_progress_t *progress, const dmdv_read_t *read);

/* Formats the line: "34% of 120 MB read" or, if the total is unknown, "12 MB read". */
enum { DMDV_PROGRESS_MAX = 64 };
void dmdv_progress_text(char text[DMDV_PROGRESS_MAX], const dmdv_read_t *read);

void dmdv_progress_end(dmdv_progress_t *progress);

/* How far a computation is. */
typedef struct dmdv_work {
  const char *what; /* "dominators" */
  uint64_t done, total;
} dmdv_work_t;

/* Consecutive computations, until dmdv_work_end, count as one: they are shown once all of them
 * together have taken longer than a second. Cheap. */
void dmdv_work_update(const dmdv_work_t *work);

/* Call it before anything else is written to the terminal. */
void dmdv_work_end(void);

/* Formats the line: "dominators: 34%". */
void dmdv_work_text(char text[DMDV_PROGRESS_MAX], const dmdv_work_t *work);

/* Seconds of a clock that never goes back. */
double dmdv_seconds(void);

#endif
