/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text.h: prints records for people.
 *
 * Layout and arithmetic are those of Mozilla's dmd.py, so that its documentation applies, and so
 * that the two can be compared byte for byte. Data that dmd.py does not have (tags, reporters,
 * faults, totals) adds lines of its own, only if there is any.
 */
#ifndef DMD_SHOW_TEXT_TEXT_H
#define DMD_SHOW_TEXT_TEXT_H

#include "analyse/records/record.h"
#include "base/out.h"

/* Bits for `only`: 1 << dmd_section_t, and this one for faults. */
enum { DMD_TEXT_FAULTS = 1 << DMD_N_SECTIONS };

typedef struct dmd_text_options {
  const char *title;              /* the second line, after "# " */
  const dmd_profile_t *old, *new; /* the two profiles of a difference; else NULL */
  bool with_run;        /* print the run of the profile or profiles, unless the title has it */
  uint32_t max_records; /* printed in each section; 0: all */
  unsigned only;        /* bits: what to print besides the summary; 0: everything */
  bool colour;          /* for a terminal */
  uint32_t columns;     /* width at which to fold lines of sizes; 0: never */
  const struct dmd_owner_hint *owners; /* from the heap graph of the same moment; or NULL */
  bool for_testing; /* print a stack with three of DMD's own frames as "... DMD.cpp ..." and block
                       addresses as 0xdadadada, as Mozilla's tests expect */
} dmd_text_options_t;

void dmd_text_print(dmd_out_t *out, const dmd_records_t *records,
                    const dmd_text_options_t *options);

/* ---- A dump in a log. ----
 *
 * The text that an engine logs for a dump: a title with the number of the dump and the
 * process, and the records. Code that names frames after the run prints the same text. */

typedef struct dmd_text_dump_options {
  dmd_sort_by_t sort_by;
  uint32_t max_records; /* per section; 0: all */
  uint32_t max_frames;
} dmd_text_dump_options_t;

/* Calls `say` for each line, without its line end. */
void dmd_text_dump(dmd_profile_t *profile, const dmd_text_dump_options_t *options,
                   void (*say)(void *ctx, const char *line), void *ctx);

#endif
