/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate_output.h: the findings of a gate, for programs.
 *
 *   json     one object; docs/manual.md has its keys
 *   junit    a test suite with one test case for each limit, for CI servers
 *   github   workflow commands: an error for each broken limit, a warning for each pattern that
 *            ignored nothing, and the verdict as a plain line
 */
#ifndef DMD_SHOW_TEXT_GATE_OUTPUT_H
#define DMD_SHOW_TEXT_GATE_OUTPUT_H

#include "show/text/text_gate.h"

typedef void (*dmd_gate_print_fn)(dmd_out_t *out, const dmd_verdict_t *v);

void dmd_print_gate_json(dmd_out_t *out, const dmd_verdict_t *v);
void dmd_print_gate_junit(dmd_out_t *out, const dmd_verdict_t *v);
void dmd_print_gate_suite(dmd_out_t *out, const dmd_verdict_t *v); /* one suite of several */
void dmd_print_gate_github(dmd_out_t *out, const dmd_verdict_t *v);

#endif
