/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/escape.h"
#include "show/text/gate_escape.h"
#include "show/text/gate_output.h"

static void print_test_case(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "    <testcase classname=\"dmdv check\" name=\"");
  dmd_put_limit(out, v, f, dmd_escape_xml);
  if (f->broken) {
    dmd_out_str(out, "\">\n      <failure type=\"refused\" message=\"");
    dmd_put_finding(out, v, f, dmd_escape_xml);
    dmd_out_str(out, "\">\n");
    dmd_put_finding(out, v, f, dmd_escape_xml);
    dmd_out_char(out, '\n');
    dmd_put_causes(out, v, f, dmd_escape_xml);
    dmd_out_str(out, "</failure>\n    </testcase>\n");
  } else {
    dmd_out_str(out, "\">\n      <system-out>");
    dmd_put_finding(out, v, f, dmd_escape_xml);
    dmd_out_str(out, "</system-out>\n    </testcase>\n");
  }
}

/* ` tests="3" failures="1" errors="0"` */
static void print_counts(dmd_out_t *out, const dmd_verdict_t *v) {
  dmd_out_str(out, " tests=\"");
  dmd_out_u64(out, v->n);
  dmd_out_str(out, "\" failures=\"");
  dmd_out_u64(out, dmd_verdict_n_broken(v));
  dmd_out_str(out, "\" errors=\"0\"");
}

void dmd_print_gate_suite(dmd_out_t *out, const dmd_verdict_t *v) {
  dmd_out_str(out, "  <testsuite name=\"dmdv check ");
  dmd_put_str(out, v, v->file, dmd_escape_xml);
  dmd_out_char(out, '"');
  print_counts(out, v);
  dmd_out_str(out, ">\n");
  for (size_t i = 0; i < v->n; i++)
    print_test_case(out, v, &v->findings[i]);
  dmd_out_str(out, "  </testsuite>\n");
}

void dmd_print_gate_junit(dmd_out_t *out, const dmd_verdict_t *v) {
  dmd_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  print_counts(out, v);
  dmd_out_str(out, ">\n");
  dmd_print_gate_suite(out, v);
  dmd_out_str(out, "</testsuites>\n");
}
