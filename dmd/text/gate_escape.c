/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/gate_escape.h"

#include "base/strbuf.h"

/* A sink into memory. */
typedef struct {
  dmd_out_t out;
  dmd_strbuf_t text;
} buffer_t;

static dmd_out_t *begin(buffer_t *b, const dmd_verdict_t *v) {
  dmd_strbuf_init(&b->text, v->now.profile->env);
  dmd_out_init(&b->out, dmd_strbuf_write, &b->text);
  return &b->out;
}

static void end(buffer_t *b, dmd_out_t *out, dmd_escape_fn escape) {
  dmd_out_flush(&b->out);
  escape(out, b->text.text);
  dmd_strbuf_destroy(&b->text);
}

void dmd_put_limit(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                   dmd_escape_fn escape) {
  buffer_t b;
  dmd_print_limit(begin(&b, v), f->limit);
  end(&b, out, escape);
}

void dmd_put_finding(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                     dmd_escape_fn escape) {
  buffer_t b;
  dmd_print_finding(begin(&b, v), f);
  end(&b, out, escape);
}

void dmd_put_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                    dmd_escape_fn escape) {
  buffer_t b;
  dmd_print_causes(begin(&b, v), v, f);
  end(&b, out, escape);
}

void dmd_put_str(dmd_out_t *out, const dmd_verdict_t *v, const char *s, dmd_escape_fn escape) {
  buffer_t b;
  dmd_out_safe(begin(&b, v), s);
  end(&b, out, escape);
}
