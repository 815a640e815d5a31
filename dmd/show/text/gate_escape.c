/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/gate_escape.h"

static dmd_out_t *begin(dmd_escaped_t *e, const dmd_verdict_t *v) {
  return dmd_escaped_begin(e, v->now.profile->env);
}

void dmd_put_limit(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                   dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_print_limit(begin(&e, v), f->limit);
  dmd_escaped_end(&e, out, escape);
}

void dmd_put_finding(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                     dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_print_finding(begin(&e, v), f);
  dmd_escaped_end(&e, out, escape);
}

void dmd_put_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                    dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_print_causes(begin(&e, v), v, f);
  dmd_escaped_end(&e, out, escape);
}

void dmd_put_str(dmd_out_t *out, const dmd_verdict_t *v, const char *s, dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_out_safe(begin(&e, v), s);
  dmd_escaped_end(&e, out, escape);
}
