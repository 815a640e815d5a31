/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/gate_output.h"

#include "analyse/limits/gate.h"
#include "analyse/tree/pathsums.h"
#include "files/profile/profilewriter.h"
#include "show/text/escape.h"
#include "show/text/print.h"
#include "show/text/record_json.h"
#include "show/text/text_gate.h"

/* ---- Escaped text. ---- */

/* The text of text_gate.h goes to a buffer and is then escaped, for messages of GitHub and JUnit.
 */

static dmd_out_t *begin(dmd_escaped_t *e, const dmd_verdict_t *v) {
  return dmd_escaped_begin(e, v->now.profile->env);
}

static void put_limit(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                      dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_print_limit(begin(&e, v), f->limit);
  dmd_escaped_end(&e, out, escape);
}

static void put_finding(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                        dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_print_finding(begin(&e, v), f, v->now.amounts == NULL);
  dmd_escaped_end(&e, out, escape);
}

static void put_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f,
                       dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_print_causes(begin(&e, v), v, f);
  dmd_escaped_end(&e, out, escape);
}

/* Like the functions above, for a string that is not yet safe for terminals. */
static void put_str(dmd_out_t *out, const dmd_verdict_t *v, const char *s, dmd_escape_fn escape) {
  dmd_escaped_t e;
  dmd_out_safe(begin(&e, v), s);
  dmd_escaped_end(&e, out, escape);
}

/* ---- GitHub. ---- */

static void print_error(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "::error title=dmdv check ");
  put_limit(out, v, f, dmd_escape_github_property);
  dmd_out_str(out, "::");
  put_finding(out, v, f, dmd_escape_github);
  dmd_escape_github(out, "\n");
  put_causes(out, v, f, dmd_escape_github);
  dmd_out_char(out, '\n');
}

static void print_warning(dmd_out_t *out, const dmd_verdict_t *v, const dmd_pattern_t *p) {
  dmd_out_str(out, "::warning file=");
  put_str(out, v, v->ignore_name, dmd_escape_github_property);
  dmd_out_str(out, ",line=");
  dmd_out_u64(out, p->line);
  dmd_out_str(out, "::the pattern ignores nothing: ");
  put_str(out, v, p->text, dmd_escape_github);
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

/* ---- JUnit. ---- */

static void print_test_case(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "    <testcase classname=\"dmdv check\" name=\"");
  put_limit(out, v, f, dmd_escape_xml);
  if (f->broken) {
    dmd_out_str(out, "\">\n      <failure type=\"refused\" message=\"");
    put_finding(out, v, f, dmd_escape_xml);
    dmd_out_str(out, "\">\n");
    put_finding(out, v, f, dmd_escape_xml);
    dmd_out_char(out, '\n');
    put_causes(out, v, f, dmd_escape_xml);
    dmd_out_str(out, "</failure>\n    </testcase>\n");
  } else {
    dmd_out_str(out, "\">\n      <system-out>");
    put_finding(out, v, f, dmd_escape_xml);
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

/* One suite of several. */
static void print_gate_suite(dmd_out_t *out, const dmd_verdict_t *v) {
  dmd_out_str(out, "  <testsuite name=\"dmdv check ");
  put_str(out, v, v->file, dmd_escape_xml);
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
  print_gate_suite(out, v);
  dmd_out_str(out, "</testsuites>\n");
}

/* ---- JSON. ---- */

static void write_number(dmd_jsonout_t *j, const char *key, int64_t number) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_i64(j, number);
}

/* blocks_key: NULL if there are no blocks. */
static void write_figure(dmd_jsonout_t *j, const char *bytes_key, const char *blocks_key,
                         dmd_blocksum_t figure) {
  write_number(j, bytes_key, figure.bytes);
  if (blocks_key != NULL)
    write_number(j, blocks_key, figure.blocks);
}

/* The baseline does not have the requested sizes of a record's blocks. */
enum {
  FIELDS_LEFT_OUT = 1 << DMD_RECORD_REQUESTED | 1 << DMD_RECORD_SLOP | 1 << DMD_RECORD_EXCESS |
                    1 << DMD_RECORD_SIZES
};

static void write_record(dmd_jsonout_t *j, const dmd_causes_t *causes, const dmd_record_t *r,
                         bool growth) {
  dmd_blocksum_t before = dmd_causes_before(causes, r);
  dmd_record_t now = *r;
  now.usable += before.bytes;
  now.num += before.blocks;
  now.variance.blocks -= before.variance.blocks;
  now.variance.bytes -= before.variance.bytes;
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_json_write_record(j, &causes->records, &now, ~(unsigned)FIELDS_LEFT_OUT);
  if (growth)
    write_figure(j, "baselineBytes", "baselineBlocks", before);
  dmd_jsonout_end(j);
}

typedef struct {
  dmd_jsonout_t *j;
  const dmd_profile_t *profile;
} stack_writer_t;

static void write_stack(void *ctx, uint32_t stack) {
  const stack_writer_t *w = ctx;
  size_t n;
  const uint32_t *frames = dmd_profile_frames(w->profile, stack, &n);
  dmd_json_write_frames(w->j, w->profile, frames, n);
}

static void write_misreports(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  stack_writer_t w = {j, profile};
  uint32_t n;
  uint32_t *ids = dmd_misreports(profile, &n);
  for (uint32_t i = 0; i < n && i < DMD_MAX_CAUSES; i++)
    dmd_json_write_fault(j, profile, dmd_faults_at(&profile->faults, ids[i]), write_stack, &w);
  dmd_env_free(profile->env, ids);
}

static void write_wasted(dmd_jsonout_t *j, const dmd_wasted_t *wasted, const char *kind) {
  uint32_t n;
  uint32_t *ids = dmd_wasted_sorted(wasted, kind, &n);
  for (uint32_t i = 0; i < n && i < DMD_MAX_CAUSES; i++) {
    const dmd_wasted_finding_t *finding = dmd_wasted_at(wasted, ids[i]);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "kind", finding->kind);
    dmd_jsonout_key_u64(j, "bytes", dmd_wasted_bytes(finding, kind));
    dmd_jsonout_key_u64(j, "blocks", finding->blocks);
    dmd_jsonout_key_str(j, "what", finding->what);
    dmd_jsonout_key_str(j, "advice", finding->advice);
    dmd_jsonout_end(j);
  }
  dmd_env_free(wasted->env, ids);
}

/* The parts of a budget in memory reports. */
static void write_parts(dmd_jsonout_t *j, const dmd_verdict_t *v, const dmd_finding_t *f) {
  bool growth = f->limit->growth;
  size_t n;
  dmd_pathpart_t *parts =
      dmd_pathparts(v->now.amounts, growth ? v->before.amounts : NULL, f->limit->name, &n);
  for (size_t i = 0; i < n && i < DMD_MAX_CAUSES && parts[i].now > parts[i].before; i++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "path", parts[i].path);
    write_number(j, "bytes", parts[i].now);
    if (growth)
      write_number(j, "baselineBytes", parts[i].before);
    dmd_jsonout_end(j);
  }
  dmd_env_free(v->now.amounts->env, parts);
}

static void write_causes(dmd_jsonout_t *j, const dmd_verdict_t *v, const dmd_finding_t *f) {
  bool growth = f->limit->growth;
  if (v->now.amounts != NULL) {
    write_parts(j, v, f);
    return;
  }
  if (f->limit->what == DMD_MISREPORTS) {
    write_misreports(j, v->now.profile);
    return;
  }
  if (f->limit->what == DMD_WASTED) {
    write_wasted(j, v->now.wasted, f->limit->name);
    return;
  }
  dmd_causes_t causes;
  dmd_causes_init(&causes, f, &v->now, growth ? &v->before : NULL, v->max_frames);
  for (uint32_t i = 0; i < causes.n && i < DMD_MAX_CAUSES; i++)
    write_record(j, &causes, dmd_causes_at(&causes, i), growth);
  dmd_causes_destroy(&causes);
}

static void write_finding(dmd_jsonout_t *j, const dmd_verdict_t *v, const dmd_finding_t *f) {
  bool has_blocks = v->now.amounts == NULL;
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "limit");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "option", f->limit->option);
  dmd_jsonout_key_str(j, "value", f->limit->value);
  dmd_jsonout_end(j);
  dmd_jsonout_key_str(j, "of", dmd_what_name(f->limit));
  dmd_jsonout_key_bool(j, "growth", f->limit->growth);
  dmd_jsonout_key_bool(j, "broken", f->broken);
  if (f->limit->what == DMD_MISREPORTS) {
    dmd_jsonout_key_u64(j, "count", (uint64_t)f->now.bytes);
  } else {
    write_figure(j, "bytes", has_blocks ? "blocks" : NULL, f->now);
    dmd_jsonout_key_bool(j, "estimated", f->now.sampled || f->before.sampled);
    dmd_json_write_errors(j, f->now.variance);
  }
  if (f->limit->growth)
    write_figure(j, "baselineBytes", has_blocks ? "baselineBlocks" : NULL, f->before);
  write_number(j, "allowed", f->ceiling);
  dmd_jsonout_key_u64(j, "excess", f->broken ? (uint64_t)(f->now.bytes - f->ceiling) : 0);
  dmd_jsonout_key(j, "causes");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  if (f->broken)
    write_causes(j, v, f);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_pattern(dmd_jsonout_t *j, const dmd_pattern_t *p) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "line", p->line);
  dmd_jsonout_key_str(j, "pattern", p->text);
  dmd_jsonout_key_str(j, "reason", p->reason);
  dmd_jsonout_key_bool(j, "used", p->used);
  write_figure(j, "bytes", "blocks", p->sum);
  dmd_jsonout_end(j);
}

void dmd_print_gate_json(dmd_out_t *out, const dmd_verdict_t *v) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "verdict", dmd_verdict_n_broken(v) > 0 ? "refused" : "passed");
  dmd_jsonout_key_str(&j, "file", v->file);
  if (v->baseline != NULL)
    dmd_jsonout_key_str(&j, "baseline", v->baseline);
  dmd_blocksum_t heap = dmd_gate_figure(&v->now, DMD_TOTAL, NULL);
  dmd_jsonout_key(&j, "heap");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  write_figure(&j, "bytes", v->now.amounts == NULL ? "blocks" : NULL, heap);
  dmd_jsonout_end(&j);
  dmd_jsonout_key_u64(&j, "otherFaults", dmd_count_other_faults(v->now.profile));
  dmd_jsonout_key(&j, "findings");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (size_t i = 0; i < v->n; i++)
    write_finding(&j, v, &v->findings[i]);
  dmd_jsonout_end(&j);
  dmd_jsonout_key(&j, "ignored");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (size_t i = 0; i < v->ignore->n; i++)
    write_pattern(&j, &v->ignore->patterns[i]);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}

/* ---- Several profiles. ---- */

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
    print_gate_suite(each->out, v);
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
