/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate_output.h: the findings of a gate, for programs.
 *
 *   json     one object; docs/format.md has its keys
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
void dmd_print_gate_github(dmd_out_t *out, const dmd_verdict_t *v);

/* ---- Several profiles. ----
 *
 * One report on the gates of several profiles, such as those of a program's processes.
 * Call order: begin, add for each verdict, end.
 *
 *   json     {"checks": [...], "verdict": "refused"}, each as for a single check
 *   junit    one test suite for each
 *   others   one after the other, then a summary line */

/* In the order of the words of dmdv check --format. */
typedef enum { DMD_GATE_TEXT, DMD_GATE_JSON, DMD_GATE_JUNIT, DMD_GATE_GITHUB } dmd_gate_format_t;

void dmd_print_gate(dmd_out_t *out, dmd_gate_format_t format, const dmd_verdict_t *v);

typedef struct dmd_gate_each {
  dmd_out_t *out;
  dmd_gate_format_t format;
  size_t n, n_refused;
} dmd_gate_each_t;

void dmd_gate_each_begin(dmd_gate_each_t *each, dmd_out_t *out, dmd_gate_format_t format);
void dmd_gate_each_add(dmd_gate_each_t *each, const dmd_verdict_t *v);
void dmd_gate_each_end(dmd_gate_each_t *each);

/* The summary line. */
void dmd_gate_each_verdict(const dmd_gate_each_t *each, dmd_out_t *out);

#endif
