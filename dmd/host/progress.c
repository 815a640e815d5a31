/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double dmdv_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void dmdv_progress_start(dmdv_progress_t *progress) {
  progress->is_wanted = isatty(STDERR_FILENO);
  progress->is_shown = false;
  if (progress->is_wanted)
    progress->next = dmdv_seconds() + 1.0;
}

/* A file may grow while it is read, so the share is limited to 100%. */
void dmdv_progress_text(char text[DMDV_PROGRESS_MAX], const dmdv_read_t *read) {
  const double mb = 1024 * 1024;
  double share = read->total > 0 ? 100.0 * (double)read->at / (double)read->total : 0;
  const char *verb = read->verb != NULL ? read->verb : "read";
  if (read->total == 0)
    snprintf(text, DMDV_PROGRESS_MAX, "%.0f MB %s", (double)read->bytes / mb, verb);
  else
    snprintf(text, DMDV_PROGRESS_MAX, "%.0f%% of %.0f MB %s", share > 100 ? 100 : share,
             (double)read->total / mb, verb);
}

static bool is_due(const dmdv_progress_t *progress) {
  return progress->is_wanted && dmdv_seconds() >= progress->next;
}

static void show(dmdv_progress_t *progress, const char *text) {
  fprintf(stderr, "\r\033[Kdmdv: %s", text);
  fflush(stderr);
  progress->is_shown = true;
  progress->next = dmdv_seconds() + 0.2;
}

void dmdv_progress_update(dmdv_progress_t *progress, const dmdv_read_t *read) {
  char text[DMDV_PROGRESS_MAX];
  if (!is_due(progress))
    return;
  dmdv_progress_text(text, read);
  show(progress, text);
}

void dmdv_progress_end(dmdv_progress_t *progress) {
  if (progress->is_shown)
    fputs("\r\033[K", stderr);
  progress->is_shown = false;
}

/* ---- What is computed. ---- */

static struct {
  bool is_started;
  dmdv_progress_t progress;
} g_work;

void dmdv_work_text(char text[DMDV_PROGRESS_MAX], const dmdv_work_t *work) {
  double share = work->total > 0 ? 100.0 * (double)work->done / (double)work->total : 0;
  snprintf(text, DMDV_PROGRESS_MAX, "%.40s: %.0f%%", work->what, share > 100 ? 100 : share);
}

void dmdv_work_update(const dmdv_work_t *work) {
  char text[DMDV_PROGRESS_MAX];
  if (!g_work.is_started)
    dmdv_progress_start(&g_work.progress);
  g_work.is_started = true;
  if (!is_due(&g_work.progress))
    return;
  dmdv_work_text(text, work);
  show(&g_work.progress, text);
}

void dmdv_work_end(void) {
  dmdv_progress_end(&g_work.progress);
  g_work.is_started = false;
}
