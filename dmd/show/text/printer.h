/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * printer.h: internals of the files that implement text.h and pieces.h, and of no others.
 *
 * text.c prints everything, text_record.c one record and the owners of shared blocks, text_fault.c
 * the faults, text_hints.c the referrers to unreported blocks. pieces.c prints single parts.
 */
#ifndef DMD_SHOW_TEXT_PRINTER_H
#define DMD_SHOW_TEXT_PRINTER_H

#include "analyse/records/hintsum.h"
#include "show/text/print.h"

#define DMD_SEPARATOR "#-----------------------------------------------------------------\n"

#define DMD_BOLD "\x1b[1m"
#define DMD_RED "\x1b[1;31m"
#define DMD_YELLOW "\x1b[1;33m"
#define DMD_GREEN "\x1b[1;32m"

/* Where the functions below print to, and what they print. */
typedef struct {
  dmd_out_t *out;
  const dmd_records_t *records;
  const dmd_profile_t *profile;
  const dmd_hintsum_t *hint;
  const struct dmd_owner_hint *owners; /* better than the profile's hints; may be NULL */
  dmd_allocfns_t *allocfns;
  uint32_t max_records;
  unsigned only;
  bool colour;
  uint32_t columns;
  bool for_testing;
} dmd_printer_t;

/* A name of the profile, made safe for terminals. */
void dmd_print_name(const dmd_printer_t *p, uint32_t name);

/* `  Reporter: explicit/a`; nothing if the name is DMD_NONE. */
void dmd_print_reporter(const dmd_printer_t *p, uint32_t name);

/* A hint, if no allocation was seen. Returns whether that is so. */
bool dmd_print_unseen(dmd_out_t *out, const dmd_run_t *run);

/* The first line of a record or section, bold and coloured on a terminal: `Name {`. */
void dmd_print_opening(const dmd_printer_t *p, const char *name, const char *colour);

/* `  Allocated at {`, the frames of a cut stack, `  }`. what: see dmd_print_stack_opening. */
void dmd_print_stack(const dmd_printer_t *p, const char *what, uint32_t stack);

/* text_record.c: one record, the i-th of its section (cumulative: usable size of the section up to
 * and including it), and the name of a section. */
void dmd_print_record(const dmd_printer_t *p, dmd_section_t section, uint32_t i,
                      const dmd_record_t *r, int64_t cumulative);
const char *dmd_print_section_name(const dmd_printer_t *p, dmd_section_t section);

/* text_fault.c: a section with the faults, and a line for each kind in the summary. */
void dmd_print_faults(const dmd_printer_t *p);
void dmd_print_fault_counts(const dmd_printer_t *p);

/* One fault, and a sentence about it without its stacks: `Claim that does not add up, by
 * explicit/jars, 3 times, at worst 100 bytes claimed, 120 bytes measured: 20 bytes too few. Likely
 * reason: ...` */
void dmd_print_fault(const dmd_printer_t *p, const dmd_fault_t *fault);
void dmd_print_fault_sentence(const dmd_printer_t *p, const dmd_fault_t *fault);

/* text_hints.c: a line such as `  92% held at +0x18 of blocks reported by explicit/fonts`; nothing
 * if nothing is known. */
void dmd_print_hint(const dmd_printer_t *p, const dmd_record_t *r);

/* Remarks on all unreported blocks, in paragraphs: whether all reporters ran, and whether all
 * memory was searched for referrers. */
void dmd_print_hint_on_all(const dmd_printer_t *p);

/* text.c: `after 35 ms`, `after 0.8 s`. */
void dmd_print_time(dmd_out_t *out, uint64_t ms);

/* text.c: `At the peak: 1,234 bytes in 5 blocks, after 0.8 s; 0 bytes at exit`; and for other
 * moments a shorter line. Nothing if the peak is unknown. */
void dmd_print_peak_sentence(const dmd_printer_t *p);
void dmd_print_peak_total(const dmd_printer_t *p);

/* text.c: `at exit`, `at the detach` or `at the dump`. */
const char *dmd_print_moment(const dmd_run_t *run);

/* text.c: two lines, with what they begin with, if the process was attached to; otherwise none. */
void dmd_print_attach(dmd_out_t *out, const dmd_run_t *run, const char *since, const char *before);

#endif
