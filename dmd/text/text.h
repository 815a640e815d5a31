/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text.h: prints records for people.
 *
 * The layout and the arithmetic are those of Mozilla's dmd.py, so that everything said about
 * reading its output holds here, and so that the two can be compared byte for byte. What a profile
 * knows beyond it (tags, reporters, faults, totals) adds lines of its own, only where there is
 * something to say.
 */
#ifndef DMD_TEXT_TEXT_H
#define DMD_TEXT_TEXT_H

#include "analysis/record.h"
#include "base/out.h"

/* What can be printed alone: bits 1 << dmd_section_t, and this one for faults. */
enum { DMD_TEXT_FAULTS = 1 << DMD_N_SECTIONS };

typedef struct dmd_text_options {
  const char *title;              /* the second line, after "# " */
  const dmd_profile_t *old, *new; /* in a difference the two profiles; else NULL */
  bool with_run;        /* which run the profile is of, or the two are; a title may have said it */
  uint32_t max_records; /* printed in each section; 0: all */
  unsigned only;        /* bits of what is printed beside the summary; 0: everything */
  bool colour;          /* for a terminal */
  uint32_t columns;     /* to fold lines of sizes at; 0: never */
  const struct dmd_owner_advice *owners; /* of the heap graph of the same moment; NULL: none */
  bool for_testing; /* a stack with three frames of DMD's own is "... DMD.cpp ...", and an address
                       of a block 0xdadadada, as Mozilla's tests want it */
} dmd_text_options_t;

void dmd_text_print(dmd_out_t *out, const dmd_records_t *records,
                    const dmd_text_options_t *options);

#endif
