/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * progress.h: shows people who wait that dmdv is at work.
 *
 * Only where standard error is a terminal, and only once the work has taken longer than a second:
 * one line, rewritten a few times a second and taken away at the end.
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

/* So many bytes have been read. Cheap: may be called for each piece of the input. */
void dmdv_progress_update(dmdv_progress_t *progress, uint64_t bytes);

void dmdv_progress_end(dmdv_progress_t *progress);

#endif
