/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/gate.h"
#include "files/profile/profilewriter.h"
#include "show/text/gate_output.h"
#include "show/text/record_json.h"

static void write_figure(dmd_jsonout_t *j, const char *bytes_key, const char *blocks_key,
                         dmd_metric_t figure) {
  dmd_jsonout_key_u64(j, bytes_key, (uint64_t)figure.bytes);
  dmd_jsonout_key_u64(j, blocks_key, (uint64_t)figure.num);
}

/* The baseline does not have the requested sizes of a record's blocks. */
enum {
  FIELDS_LEFT_OUT = 1 << DMD_RECORD_REQUESTED | 1 << DMD_RECORD_SLOP | 1 << DMD_RECORD_EXCESS |
                    1 << DMD_RECORD_SIZES
};

static void write_record(dmd_jsonout_t *j, const dmd_causes_t *causes, const dmd_record_t *r,
                         bool growth) {
  dmd_metric_t before = dmd_causes_before(causes, r);
  dmd_record_t now = *r;
  now.usable += before.bytes;
  now.num += before.num;
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

static void write_causes(dmd_jsonout_t *j, const dmd_verdict_t *v, const dmd_finding_t *f) {
  bool growth = f->limit->growth;
  if (f->limit->what == DMD_MISREPORTS) {
    write_misreports(j, v->now.profile);
    return;
  }
  dmd_causes_t causes;
  dmd_causes_init(&causes, f, &v->now, growth ? &v->before : NULL, v->max_frames);
  for (uint32_t i = 0; i < causes.n && i < DMD_MAX_CAUSES; i++)
    write_record(j, &causes, dmd_causes_at(&causes, i), growth);
  dmd_causes_destroy(&causes);
}

static void write_finding(dmd_jsonout_t *j, const dmd_verdict_t *v, const dmd_finding_t *f) {
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
    write_figure(j, "bytes", "blocks", f->now);
    dmd_jsonout_key_bool(j, "estimated", f->now.sampled || f->before.sampled);
    dmd_json_write_errors(j, f->now.variance);
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

static void write_pattern(dmd_jsonout_t *j, const dmd_pattern_t *p) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "line", p->line);
  dmd_jsonout_key_str(j, "pattern", p->text);
  dmd_jsonout_key_str(j, "reason", p->reason);
  dmd_jsonout_key_bool(j, "used", p->used);
  write_figure(j, "bytes", "blocks", (dmd_metric_t){.bytes = p->usable, .num = p->num});
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
  dmd_metric_t heap = dmd_gate_figure(&v->now, DMD_TOTAL, NULL);
  dmd_jsonout_key(&j, "heap");
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  write_figure(&j, "bytes", "blocks", heap);
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
