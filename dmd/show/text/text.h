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

#endif
