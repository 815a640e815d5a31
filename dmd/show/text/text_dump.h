/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_dump.h: the text that an engine logs for a dump: a title with the number of the dump and the
 * process, and the records. Code that names frames after the run prints the same text.
 */
#ifndef DMD_SHOW_TEXT_TEXT_DUMP_H
#define DMD_SHOW_TEXT_TEXT_DUMP_H

#include "analyse/records/record.h"

typedef struct dmd_text_dump_options {
  dmd_sort_by_t sort_by;
  uint32_t max_records; /* per section; 0: all */
  uint32_t max_frames;
} dmd_text_dump_options_t;

/* Calls `say` for each line, without its line end. */
void dmd_text_dump(dmd_profile_t *profile, const dmd_text_dump_options_t *options,
                   void (*say)(void *ctx, const char *line), void *ctx);

#endif
