/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate_escape.h: text of text_gate.h inside other formats.
 *
 * junit and github put it into their messages: it is first written into a buffer, and then once
 * more with what is special in the format escaped. Nobody else includes this.
 */
#ifndef DMD_TEXT_GATE_ESCAPE_H
#define DMD_TEXT_GATE_ESCAPE_H

#include "text/text_gate.h"

/* Writes a string, with what is special in a format escaped. */
typedef void (*dmd_escape_fn)(dmd_out_t *out, const char *s);

void dmd_put_limit(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                   dmd_escape_fn escape);
void dmd_put_finding(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                     dmd_escape_fn escape);
void dmd_put_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                    dmd_escape_fn escape);

/* A string that has not gone through dmd_out_safe. */
void dmd_put_str(dmd_out_t *out, const dmd_verdict_t *v, const char *s, dmd_escape_fn escape);

#endif
