/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"
#include "text/gate_escape.h"
#include "text/gate_output.h"

/* As in the toolkit's own command.ts: data, and properties, in which two more are special. */
static void escape_special(dmd_out_t *out, const char *s, const char *special) {
  for (; *s != '\0'; s++) {
    if (dmd_str_find_char(special, *s) == NULL) {
      dmd_out_char(out, *s);
    } else {
      dmd_out_char(out, '%');
      dmd_out_char(out, "0123456789ABCDEF"[*s >> 4]);
      dmd_out_char(out, "0123456789ABCDEF"[*s & 15]);
    }
  }
}

static void escape_data(dmd_out_t *out, const char *s) {
  escape_special(out, s, "%\r\n");
}

static void escape_property(dmd_out_t *out, const char *s) {
  escape_special(out, s, "%\r\n:,");
}

static void print_error(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "::error title=dmdv check ");
  dmd_put_limit(out, v, f, escape_property);
  dmd_out_str(out, "::");
  dmd_put_finding(out, v, f, escape_data);
  escape_data(out, "\n");
  dmd_put_causes(out, v, f, escape_data);
  dmd_out_char(out, '\n');
}

static void print_warning(dmd_out_t *out, const dmd_verdict_t *v, const dmd_pattern_t *p) {
  dmd_out_str(out, "::warning file=");
  dmd_put_str(out, v, v->ignore_name, escape_property);
  dmd_out_str(out, ",line=");
  dmd_out_u64(out, p->line);
  dmd_out_str(out, "::the pattern ignores nothing: ");
  dmd_put_str(out, v, p->text, escape_data);
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
