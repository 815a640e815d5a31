/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void dmdv_progress_start(dmdv_progress_t *progress) {
  progress->is_wanted = isatty(STDERR_FILENO);
  progress->is_shown = false;
  if (progress->is_wanted)
    progress->next = now() + 1.0;
}

void dmdv_progress_update(dmdv_progress_t *progress, uint64_t bytes) {
  if (!progress->is_wanted || now() < progress->next)
    return;
  fprintf(stderr, "\rdmdv: %.0f MB read", (double)bytes / (1024 * 1024));
  fflush(stderr);
  progress->is_shown = true;
  progress->next = now() + 0.2;
}

void dmdv_progress_end(dmdv_progress_t *progress) {
  if (progress->is_shown)
    fputs("\r\033[K", stderr);
  progress->is_shown = false;
}
