/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * junit and github put text from gate_text.h into their messages. It is first written into a
 * buffer, and then once more with what is special in the format escaped.
 */
#include "reader/gate/gate_output.h"

#include "analysis/causes.h"
#include "base/jsonout.h"
#include "reader/host/host.h"

#include <string.h>

/* ---- json ---- */

static void write_figure(dmd_jsonout_t *j, const char *bytes_key, const char *blocks_key,
                         dmd_figure_t figure) {
  dmd_jsonout_key_u64(j, bytes_key, (uint64_t)figure.bytes);
  dmd_jsonout_key_u64(j, blocks_key, (uint64_t)figure.num);
}

static void write_frames(dmd_jsonout_t *j, const char *key, const dmd_profile_t *profile,
                         const uint32_t *frames, size_t n) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < n; i++)
    dmd_jsonout_str(j, dmd_intern_get_str(&profile->frames, frames[i]));
  dmd_jsonout_end(j);
}

static void write_record(dmd_jsonout_t *j, const dmd_causes_t *causes, const dmd_record_t *r,
                         bool growth) {
  static const char *const keys[DMD_REPORTS_KEPT] = {"reportedAt", "reportedAgainAt"};
  static const char *const reporter_keys[DMD_REPORTS_KEPT] = {"reporter", "reporterAgain"};
  dmd_figure_t before = dmd_causes_before(causes, r);
  dmd_figure_t now = {r->usable + before.bytes, r->num + before.num, r->sampled};
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  write_figure(j, "bytes", "blocks", now);
  if (growth)
    write_figure(j, "baselineBytes", "baselineBlocks", before);
  size_t n;
  const uint32_t *frames = dmd_records_frames(&causes->records, r->stack, &n);
  write_frames(j, "allocatedAt", &causes->view, frames, n);
  const char *tag = dmd_causes_tag(causes, r);
  if (tag != NULL)
    dmd_jsonout_key_str(j, "tag", tag);
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++) {
    const char *reporter = dmd_causes_reporter(causes, r, i);
    if (reporter != NULL)
      dmd_jsonout_key_str(j, reporter_keys[i], reporter);
  }
  for (uint32_t i = 0; i < r->n_reported; i++) {
    frames = dmd_records_frames(&causes->records, r->reported[i], &n);
    write_frames(j, keys[i], &causes->view, frames, n);
  }
  dmd_jsonout_end(j);
}

static void write_misreports(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  uint32_t n;
  uint32_t *ids = dmd_misreports(profile, &n);
  for (uint32_t i = 0; i < n && i < DMDV_MAX_CAUSES; i++) {
    const dmd_fault_t *fault = dmd_faults_at(&profile->faults, ids[i]);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "kind", dmd_fault_name(fault->kind));
    dmd_jsonout_key_u64(j, "num", fault->num);
    if (fault->reporter != DMD_NONE)
      dmd_jsonout_key_str(j, "reporter", dmd_intern_get_str(&profile->names, fault->reporter));
    size_t n_frames;
    const uint32_t *frames = dmd_profile_frames(profile, fault->stack, &n_frames);
    write_frames(j, "at", profile, frames, n_frames);
    dmd_jsonout_end(j);
  }
  dmd_env_free(profile->env, ids);
}

static void write_causes(dmd_jsonout_t *j, const dmdv_verdict_t *v, const dmd_finding_t *f) {
  bool growth = f->limit->growth;
  if (f->limit->what == DMD_MISREPORTS) {
    write_misreports(j, v->now.profile);
    return;
  }
  dmd_causes_t causes;
  dmd_causes_init(&causes, f, &v->now, growth ? &v->before : NULL, v->max_frames);
  for (uint32_t i = 0; i < causes.n && i < DMDV_MAX_CAUSES; i++)
    write_record(j, &causes, dmd_causes_at(&causes, i), growth);
  dmd_causes_destroy(&causes);
}

static void write_finding(dmd_jsonout_t *j, const dmdv_verdict_t *v, const dmd_finding_t *f) {
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "limit");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "option", f->limit->option);
  dmd_jsonout_key_str(j, "value", f->limit->value);
  dmd_jsonout_end(j);
  dmd_jsonout_key_str(j, "of", dmdv_what_name(f->limit));
  dmd_jsonout_key_bool(j, "growth", f->limit->growth);
  dmd_jsonout_key_bool(j, "broken", f->broken);
  if (f->limit->what == DMD_MISREPORTS) {
    dmd_jsonout_key_u64(j, "count", (uint64_t)f->now.bytes);
  } else {
    write_figure(j, "bytes", "blocks", f->now);
    dmd_jsonout_key_bool(j, "estimated", f->now.sampled || f->before.sampled);
  }
  if (f->limit->growth)
    write_figure(j, "baselineBytes", "baselineBlocks", f->before);
  dmd_jsonout_key_u64(j, "allowed", (uint64_t)f->ceiling);
  dmd_jsonout_key_u64(j, "excess", f->broken ? (uint64_t)(f->now.bytes - f->ceiling) : 0);
  dmd_jsonout_key(j, "causes");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  if (f->broken)
    write_causes(j, v, f);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_pattern(dmd_jsonout_t *j, const dmdv_pattern_t *p) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "line", p->line);
  dmd_jsonout_key_str(j, "pattern", p->text);
  dmd_jsonout_key_str(j, "reason", p->reason);
  dmd_jsonout_key_bool(j, "used", p->used);
  write_figure(j, "bytes", "blocks", (dmd_figure_t){p->usable, p->num, false});
  dmd_jsonout_end(j);
}

void dmdv_print_gate_json(dmd_out_t *out, const dmdv_verdict_t *v) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "verdict", dmdv_verdict_n_broken(v) > 0 ? "refused" : "passed");
  dmd_jsonout_key_str(&j, "file", v->file);
  if (v->baseline != NULL)
    dmd_jsonout_key_str(&j, "baseline", v->baseline);
  dmd_figure_t heap = dmd_gate_figure(&v->now, DMD_TOTAL, NULL);
  dmd_jsonout_key(&j, "heap");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  write_figure(&j, "bytes", "blocks", heap);
  dmd_jsonout_end(&j);
  dmd_jsonout_key_u64(&j, "otherFaults", dmdv_count_other_faults(v->now.profile));
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

/* ---- Text inside other formats. ---- */

typedef struct {
  dmd_out_t out;
  char *text; /* ends in NUL */
  size_t n, room;
} buffer_t;

static bool write_buffer(void *ctx, const char *bytes, size_t n) {
  buffer_t *b = ctx;
  if (b->room - b->n <= n) {
    b->room = 2 * (b->n + n + 1);
    char *text = dmd_env_alloc(&dmdv_env, "dmdv.message", b->room);
    memcpy(text, b->text, b->n + 1);
    dmd_env_free(&dmdv_env, b->text);
    b->text = text;
  }
  memcpy(b->text + b->n, bytes, n);
  b->n += n;
  b->text[b->n] = '\0';
  return true;
}

static void begin_buffer(buffer_t *b) {
  b->n = 0;
  b->room = 1;
  b->text = dmd_env_alloc(&dmdv_env, "dmdv.message", b->room);
  b->text[0] = '\0';
  dmd_out_init(&b->out, write_buffer, b);
}

typedef void (*escape_fn)(dmd_out_t *out, const char *s);

static void end_buffer(buffer_t *b, dmd_out_t *out, escape_fn escape) {
  dmd_out_flush(&b->out);
  escape(out, b->text);
  dmd_env_free(&dmdv_env, b->text);
}

static void put_limit(dmd_out_t *out, const dmd_limit_t *limit, escape_fn escape) {
  buffer_t b;
  begin_buffer(&b);
  dmdv_print_limit(&b.out, limit);
  end_buffer(&b, out, escape);
}

static void put_finding(dmd_out_t *out, const dmd_finding_t *f, escape_fn escape) {
  buffer_t b;
  begin_buffer(&b);
  dmdv_print_finding(&b.out, f);
  end_buffer(&b, out, escape);
}

static void put_causes(dmd_out_t *out, const dmdv_verdict_t *v, const dmd_finding_t *f,
                       escape_fn escape) {
  buffer_t b;
  begin_buffer(&b);
  dmdv_print_causes(&b.out, v, f);
  end_buffer(&b, out, escape);
}

/* A string that has not gone through dmd_out_safe. */
static void put_str(dmd_out_t *out, const char *s, escape_fn escape) {
  buffer_t b;
  begin_buffer(&b);
  dmd_out_safe(&b.out, s);
  end_buffer(&b, out, escape);
}

/* ---- junit ---- */

/* XML knows no way to write U+FFFE and U+FFFF. */
static bool is_no_xml(const char *s) {
  return strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0;
}

static void escape_xml(dmd_out_t *out, const char *s) {
  for (; *s != '\0'; s++) {
    if (*s == '&') {
      dmd_out_str(out, "&amp;");
    } else if (*s == '<') {
      dmd_out_str(out, "&lt;");
    } else if (*s == '>') {
      dmd_out_str(out, "&gt;");
    } else if (*s == '"') {
      dmd_out_str(out, "&quot;");
    } else if (is_no_xml(s)) {
      dmd_out_str(out, "\xef\xbf\xbd");
      s += 2;
    } else {
      dmd_out_char(out, *s);
    }
  }
}

static void print_test_case(dmd_out_t *out, const dmdv_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "    <testcase classname=\"dmdv check\" name=\"");
  put_limit(out, f->limit, escape_xml);
  if (f->broken) {
    dmd_out_str(out, "\">\n      <failure type=\"refused\" message=\"");
    put_finding(out, f, escape_xml);
    dmd_out_str(out, "\">\n");
    put_finding(out, f, escape_xml);
    dmd_out_char(out, '\n');
    put_causes(out, v, f, escape_xml);
    dmd_out_str(out, "</failure>\n    </testcase>\n");
  } else {
    dmd_out_str(out, "\">\n      <system-out>");
    put_finding(out, f, escape_xml);
    dmd_out_str(out, "</system-out>\n    </testcase>\n");
  }
}

/* ` tests="3" failures="1" errors="0"` */
static void print_counts(dmd_out_t *out, const dmdv_verdict_t *v) {
  dmd_out_str(out, " tests=\"");
  dmd_out_u64(out, v->n);
  dmd_out_str(out, "\" failures=\"");
  dmd_out_u64(out, dmdv_verdict_n_broken(v));
  dmd_out_str(out, "\" errors=\"0\"");
}

void dmdv_print_gate_junit(dmd_out_t *out, const dmdv_verdict_t *v) {
  dmd_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  print_counts(out, v);
  dmd_out_str(out, ">\n  <testsuite name=\"dmdv check ");
  put_str(out, v->file, escape_xml);
  dmd_out_char(out, '"');
  print_counts(out, v);
  dmd_out_str(out, ">\n");
  for (size_t i = 0; i < v->n; i++)
    print_test_case(out, v, &v->findings[i]);
  dmd_out_str(out, "  </testsuite>\n</testsuites>\n");
}

/* ---- github ---- */

/* As in the toolkit's own command.ts: data, and properties, in which two more are special. */
static void escape_special(dmd_out_t *out, const char *s, const char *special) {
  for (; *s != '\0'; s++) {
    if (strchr(special, *s) == NULL) {
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

static void print_error(dmd_out_t *out, const dmdv_verdict_t *v, const dmd_finding_t *f) {
  dmd_out_str(out, "::error title=dmdv check ");
  put_limit(out, f->limit, escape_property);
  dmd_out_str(out, "::");
  put_finding(out, f, escape_data);
  escape_data(out, "\n");
  put_causes(out, v, f, escape_data);
  dmd_out_char(out, '\n');
}

static void print_warning(dmd_out_t *out, const dmdv_verdict_t *v, const dmdv_pattern_t *p) {
  dmd_out_str(out, "::warning file=");
  put_str(out, v->ignore_name, escape_property);
  dmd_out_str(out, ",line=");
  dmd_out_u64(out, p->line);
  dmd_out_str(out, "::the pattern ignores nothing: ");
  put_str(out, p->text, escape_data);
  dmd_out_char(out, '\n');
}

void dmdv_print_gate_github(dmd_out_t *out, const dmdv_verdict_t *v) {
  for (size_t i = 0; i < v->n; i++)
    if (v->findings[i].broken)
      print_error(out, v, &v->findings[i]);
  for (size_t i = 0; i < v->ignore->n; i++)
    if (!v->ignore->patterns[i].used)
      print_warning(out, v, &v->ignore->patterns[i]);
  dmdv_print_verdict(out, v);
}
