/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate_escape.h: the text of text_gate.h, escaped for other formats.
 *
 * For the messages of gate_junit.c and gate_github.c: the text is written to a buffer and then
 * escaped.
 */
#ifndef DMD_SHOW_TEXT_GATE_ESCAPE_H
#define DMD_SHOW_TEXT_GATE_ESCAPE_H

#include "show/text/escape.h"
#include "show/text/text_gate.h"

void dmd_put_limit(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                   dmd_escape_fn escape);
void dmd_put_finding(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                     dmd_escape_fn escape);
void dmd_put_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                    dmd_escape_fn escape);

/* Like the functions above, for a string that is not yet safe for terminals. */
void dmd_put_str(dmd_out_t *out, const dmd_verdict_t *v, const char *s, dmd_escape_fn escape);

#endif
