/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lines.h: what the last run of each moment, environment and process held, while runs go by in
 * order.
 */
#ifndef DMD_READER_HISTORY_LINES_H
#define DMD_READER_HISTORY_LINES_H

#include "base/intern.h"
#include "reader/history/recordset.h"

typedef struct dmdv_line {
  dmd_recordset_t set; /* all 0: of none yet */
  int64_t id;          /* of the history; 0: not known */
  unsigned char digest[DMDV_DIGEST_SZB];
} dmdv_line_t;

typedef struct dmdv_lines {
  dmd_intern_t keys;
  dmd_pool_t lines; /* dmdv_line_t, by key */
} dmdv_lines_t;

void dmdv_lines_init(dmdv_lines_t *lines);
void dmdv_lines_destroy(dmdv_lines_t *lines);

/* The line of these, new or not; environment: a number that stands for it. */
dmdv_line_t *dmdv_lines_at(dmdv_lines_t *lines, const char *moment, int64_t environment,
                           const char *process);

/* Puts another set in its place, which becomes the line's. */
void dmdv_line_set(dmdv_line_t *line, dmd_recordset_t *set);

#endif
