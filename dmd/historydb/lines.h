/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lines.h: the records of the last run of each moment, environment and process, while runs are
 * visited in order.
 */
#ifndef DMD_HISTORYDB_LINES_H
#define DMD_HISTORYDB_LINES_H

#include "base/intern.h"
#include "historydb/storedset.h"

typedef struct dmdv_line {
  dmd_stackset_t set; /* all 0: no run so far */
  int64_t id;         /* in the history; 0: unknown */
  unsigned char digest[DMDV_DIGEST_SZB];
} dmdv_line_t;

typedef struct dmdv_lines {
  dmd_intern_t keys;
  dmd_pool_t lines; /* dmdv_line_t, by key */
} dmdv_lines_t;

void dmdv_lines_init(dmdv_lines_t *lines);
void dmdv_lines_destroy(dmdv_lines_t *lines);

/* The line of these keys, added if new. environment: any number that identifies it. */
dmdv_line_t *dmdv_lines_at(dmdv_lines_t *lines, const char *moment, int64_t environment,
                           const char *process);

/* Replaces the line's set. The line takes over the new set. */
void dmdv_line_set(dmdv_line_t *line, dmd_stackset_t *set);

#endif
