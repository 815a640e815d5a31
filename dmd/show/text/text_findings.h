/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_findings.h: findings in words: place, facts, and the command that shows more.
 */
#ifndef DMD_SHOW_TEXT_TEXT_FINDINGS_H
#define DMD_SHOW_TEXT_TEXT_FINDINGS_H

#include "analyse/findings/findings.h"
#include "base/jsonout.h"
#include "base/strbuf.h"
#include "show/text/printer.h"

/* What names findings. Must not be moved in memory until it is destroyed. */
typedef struct dmd_findingnames {
  const dmd_printer_t *printer; /* for the records of the findings; its `out` is not used */
  const dmd_findings_t *findings;
  dmd_places_t places;
} dmd_findingnames_t;

void dmd_findingnames_init(dmd_findingnames_t *names, const dmd_findings_t *findings,
                           const dmd_printer_t *printer);
void dmd_findingnames_destroy(dmd_findingnames_t *names);

/* Appends the place: the line that allocated the blocks, or the function that returned a size. Not
 * escaped, except for waste. */
void dmd_finding_place(dmd_findingnames_t *names, const dmd_finding_t *finding, dmd_strbuf_t *to);

/* Appends what else is known, such as what to do, in lines without indent; nothing if there is
 * nothing to say. Safe for terminals. */
void dmd_finding_sentence(dmd_findingnames_t *names, const dmd_finding_t *finding,
                          dmd_strbuf_t *to);

/* The command of dmdv that shows more about it. */
const char *dmd_finding_command(const dmd_findings_t *findings, const dmd_finding_t *finding);

/* Writes the members "kind", "bytes", "blocks", "place", "sentence" and "showMore" of an object. */
void dmd_finding_write(dmd_jsonout_t *j, dmd_findingnames_t *names, const dmd_finding_t *finding);

#endif
