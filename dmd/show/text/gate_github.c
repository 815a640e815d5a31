/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/escape.h"
#include "show/text/gate_escape.h"
#include "show/text/gate_output.h"

static void print_error(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "::error title=dmdv check ");
  dmd_put_limit(out, v, f, dmd_escape_github_property);
  dmd_out_str(out, "::");
  dmd_put_finding(out, v, f, dmd_escape_github);
  dmd_escape_github(out, "\n");
  dmd_put_causes(out, v, f, dmd_escape_github);
  dmd_out_char(out, '\n');
}

static void print_warning(dmd_out_t *out, const dmd_verdict_t *v, const dmd_pattern_t *p) {
  dmd_out_str(out, "::warning file=");
  dmd_put_str(out, v, v->ignore_name, dmd_escape_github_property);
  dmd_out_str(out, ",line=");
  dmd_out_u64(out, p->line);
  dmd_out_str(out, "::the pattern ignores nothing: ");
  dmd_put_str(out, v, p->text, dmd_escape_github);
  dmd_out_char(out, '\n');
}

void dmd_print_gate_github(dmd_out_t *out, const dmd_verdict_t *v) {
  for (size_t i = 0; i < v->n; i++)
    if (v->findings[i].broken)
      print_error(out, v, &v->findings[i]);
  for (size_t i = 0; i < v->ignore->n; i++)
    if (!v->ignore->patterns[i].used)
      print_warning(out, v, &v->ignore->patterns[i]);
  dmd_print_verdict(out, v);
}
