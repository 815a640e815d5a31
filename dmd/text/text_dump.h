/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_dump.h: the text of a dump, as an engine says it when it makes one: the records of the
 * profile below a title that says which dump of which process it is. Whoever names the frames of a
 * profile later says the same.
 */
#ifndef DMD_TEXT_TEXT_DUMP_H
#define DMD_TEXT_TEXT_DUMP_H

#include "analysis/record.h"

typedef struct dmd_text_dump_options {
  dmd_sort_by_t sort_by;
  uint32_t max_records; /* in each section; 0: all */
  uint32_t max_frames;
} dmd_text_dump_options_t;

/* Calls `say` with each line, which has no line end. */
void dmd_text_dump(dmd_profile_t *profile, const dmd_text_dump_options_t *options,
                   void (*say)(void *ctx, const char *line), void *ctx);

#endif
