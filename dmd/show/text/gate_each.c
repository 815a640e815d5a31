/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/gate_each.h"

#include "show/text/print.h"

void dmd_print_gate(dmd_out_t *out, dmd_gate_format_t format, const dmd_verdict_t *v) {
  static const dmd_gate_print_fn printers[] = {[DMD_GATE_TEXT] = dmd_print_gate_text,
                                               [DMD_GATE_JSON] = dmd_print_gate_json,
                                               [DMD_GATE_JUNIT] = dmd_print_gate_junit,
                                               [DMD_GATE_GITHUB] = dmd_print_gate_github};
  printers[format](out, v);
}

void dmd_gate_each_begin(dmd_gate_each_t *each, dmd_out_t *out, dmd_gate_format_t format) {
  *each = (dmd_gate_each_t){.out = out, .format = format};
  if (format == DMD_GATE_JSON)
    dmd_out_str(out, "{\n\"checks\": [\n");
  if (format == DMD_GATE_JUNIT)
    dmd_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
}

void dmd_gate_each_add(dmd_gate_each_t *each, const dmd_verdict_t *v) {
  if (each->n > 0 && each->format == DMD_GATE_JSON)
    dmd_out_str(each->out, ",\n");
  if (each->format == DMD_GATE_JUNIT)
    dmd_print_gate_suite(each->out, v);
  else
    dmd_print_gate(each->out, each->format, v);
  if (each->format == DMD_GATE_TEXT)
    dmd_out_char(each->out, '\n');
  each->n++;
  each->n_refused += dmd_verdict_n_broken(v) > 0;
}

void dmd_gate_each_verdict(const dmd_gate_each_t *each, dmd_out_t *out) {
  if (each->n_refused > 0) {
    dmd_out_str(out, "refused: ");
    dmd_out_u64(out, each->n_refused);
    dmd_out_str(out, " of ");
    dmd_print_count(out, (int64_t)each->n, false, "check", "checks");
    dmd_out_str(out, " found a broken limit\n");
  } else {
    dmd_out_str(out, "passed: ");
    dmd_print_count(out, (int64_t)each->n, false, "check", "checks");
    dmd_out_str(out, " found no broken limit\n");
  }
}

void dmd_gate_each_end(dmd_gate_each_t *each) {
  if (each->format == DMD_GATE_JSON) {
    dmd_out_str(each->out, "],\n\"verdict\": \"");
    dmd_out_str(each->out, each->n_refused > 0 ? "refused\"\n}\n" : "passed\"\n}\n");
  } else if (each->format == DMD_GATE_JUNIT) {
    dmd_out_str(each->out, "</testsuites>\n");
  } else {
    dmd_gate_each_verdict(each, each->out);
  }
}
