/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/export/samples.h"

#include "base/format.h"
#include "base/mem.h"
#include "show/export/dropframes.h"

/* ---- Sample types ---- */

enum { MAX_SECTIONS = 4 };

/* The sections that have values of their own, in order. Returns their number. */
static size_t sections_of(const dmd_profile_t *profile, dmd_section_t sections[MAX_SECTIONS]) {
  sections[0] = DMD_SECTION_ALL;
  if (profile->mode != DMD_MODE_DARK_MATTER)
    return 1;
  sections[0] = DMD_SECTION_UNREPORTED;
  sections[1] = DMD_SECTION_ONCE;
  sections[2] = DMD_SECTION_TWICE;
  sections[3] = DMD_SECTION_ALL;
  return 4;
}

/* A section's name within names of types; short, since people type it. */
static const char *section_word(const dmd_profile_t *profile, dmd_section_t section) {
  if (section == DMD_SECTION_ONCE)
    return "once";
  if (section == DMD_SECTION_ALL && profile->mode == DMD_MODE_DARK_MATTER)
    return "heap";
  return section == DMD_SECTION_TWICE ? "twice" : dmd_sums_section_name(profile, section);
}

/* Adds the sample type WORD_WHAT. Returns its number. */
static size_t add_type(dmd_samples_t *s, const char *word, const char *what, const char *unit) {
  dmd_sample_type_t *type = &s->types[s->n_types];
  size_t n = dmd_format_str(type->name, word);
  type->name[n++] = '_';
  dmd_format_str(type->name + n, what);
  type->unit = unit;
  return s->n_types++;
}

/* Adds two sample types, and returns the number of that of bytes. */
static size_t add_blocks(dmd_samples_t *s, const char *word) {
  add_type(s, word, "blocks", "count");
  return add_type(s, word, "bytes", "bytes");
}

static void add_objects(dmd_samples_t *s, const char *word) {
  add_type(s, word, "objects", "count");
  add_type(s, word, "space", "bytes");
}

/* The number of sample types of the run. In mode cumulative the blocks of the dump are all that was
 * allocated, and no type comes twice. */
static size_t n_run_types(const dmd_profile_t *profile) {
  if (!profile->lifetimes.is_known)
    return 0;
  return profile->mode == DMD_MODE_CUMULATIVE ? 1 : 3;
}

static void add_types(dmd_samples_t *s) {
  dmd_section_t sections[MAX_SECTIONS];
  size_t n = sections_of(s->profile, sections);
  for (size_t i = 0; i < n; i++) {
    size_t bytes = add_blocks(s, section_word(s->profile, sections[i]));
    if (i == 0)
      s->default_type = bytes;
  }
  add_blocks(s, "slop");
  add_objects(s, s->profile->mode == DMD_MODE_CUMULATIVE ? "alloc" : "inuse");
  if (s->profile->has_peak) {
    size_t bytes = add_blocks(s, "peak");
    if (dmd_peak_matters(s->profile))
      s->default_type = bytes;
  }
  if (n_run_types(s->profile) == 3)
    add_objects(s, "alloc");
  if (n_run_types(s->profile) > 0)
    add_type(s, "temporary", "objects", "count");
}

void dmd_samples_init(dmd_samples_t *samples, const dmd_profile_t *profile) {
  samples->profile = profile;
  samples->n_types = 0;
  add_types(samples);
  dmd_sums_init(&samples->of_dump, profile, DMD_ALL_LABELS);
  if (profile->has_peak) {
    dmd_peak_view_init(&samples->peak, profile, false);
    dmd_sums_init(&samples->of_peak, &samples->peak.profile, DMD_ALL_LABELS);
  }
}

void dmd_samples_destroy(dmd_samples_t *samples) {
  if (samples->profile->has_peak) {
    dmd_sums_destroy(&samples->of_peak);
    dmd_peak_view_destroy(&samples->peak);
  }
  dmd_sums_destroy(&samples->of_dump);
}

/* ---- Values ---- */

static void set_dump(const dmd_profile_t *profile, const dmd_sum_t *sum, int64_t *values) {
  dmd_section_t sections[MAX_SECTIONS];
  size_t n = sections_of(profile, sections);
  for (size_t i = 0; i < n; i++, values += 2) {
    bool own = sections[i] == sum->section || sections[i] == DMD_SECTION_ALL;
    values[0] = own ? (int64_t)sum->blocks : 0;
    values[1] = own ? (int64_t)sum->bytes : 0;
  }
  values[0] = (int64_t)sum->slop_blocks;
  values[1] = (int64_t)sum->slop;
  values[2] = (int64_t)sum->blocks;
  values[3] = (int64_t)(sum->bytes - sum->slop);
}

static void set_peak(const dmd_samples_t *s, const dmd_sum_t *sum, int64_t *values) {
  values += s->n_types - n_run_types(s->profile) - 2;
  values[0] = (int64_t)sum->blocks;
  values[1] = (int64_t)sum->bytes;
}

static void set_run(const dmd_samples_t *s, const dmd_lifetime_t *lifetime, int64_t *values) {
  size_t n = n_run_types(s->profile);
  values += s->n_types - n;
  if (n == 3) {
    values[0] = (int64_t)lifetime->n_allocs;
    values[1] = (int64_t)lifetime->alloc_szB;
  }
  values[n - 1] = (int64_t)lifetime->n_temporary;
}

/* ---- Labels ---- */

typedef struct {
  const dmd_samples_t *samples;
  const dmd_export_options_t *options;
  void (*visit)(void *ctx, const dmd_sample_t *sample);
  void *ctx;
  int64_t values[DMD_SAMPLES_MAX_TYPES];
  dmd_export_label_t labels[DMD_SAMPLE_MAX_LABELS];
  size_t n_labels;
  char thread[DMD_FORMAT_MAX];
} visit_t;

static void add_label(visit_t *v, const char *key, const char *value) {
  v->labels[v->n_labels++] = (dmd_export_label_t){key, value};
}

/* Adds the process of a merged profile; it is the last frame of the stack. */
static void add_process(visit_t *v, uint32_t stack) {
  const dmd_profile_t *profile = v->samples->profile;
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  if (n == 0 || dmd_intern_count(&profile->processes) == 0)
    return;
  const char *outermost = dmd_frames_text(&profile->frames, frames[n - 1]);
  if (dmd_intern_find_str(&profile->processes, outermost) != DMD_NONE)
    add_label(v, "process", outermost);
}

static void make_labels(visit_t *v, const dmd_sum_t *sum) {
  static const char *const reporters[] = {"reporter", "second_reporter"};
  const dmd_profile_t *profile = v->samples->profile;
  v->n_labels = 0;
  if (sum->section != DMD_SECTION_ALL)
    add_label(v, "status", dmd_sums_section_name(profile, sum->section));
  if (sum->tag != DMD_NONE)
    add_label(v, "tag", dmd_intern_get_str(&profile->tags, sum->tag));
  for (int i = 0; i < 2; i++)
    if (sum->reporter[i] != DMD_NONE)
      add_label(v, reporters[i], dmd_intern_get_str(&profile->names, sum->reporter[i]));
  if (sum->thread != DMD_NONE) {
    dmd_format_u64(v->thread, sum->thread);
    add_label(v, "thread", v->thread);
  }
  add_process(v, sum->stack);
  for (size_t i = 0; i < v->options->n_labels; i++)
    v->labels[v->n_labels++] = v->options->labels[i];
}

/* ---- Samples ---- */

static void visit_sample(visit_t *v, const dmd_sum_t *sum) {
  make_labels(v, sum);
  dmd_sample_t sample = {
      .stack = sum->stack, .values = v->values, .labels = v->labels, .n_labels = v->n_labels};
  v->visit(v->ctx, &sample);
}

static void visit_run(visit_t *v) {
  const dmd_samples_t *s = v->samples;
  const dmd_lifetimes_t *lifetimes = &s->profile->lifetimes;
  dmd_mem_zero(v->values, sizeof v->values);
  for (uint32_t id = 1; id <= dmd_lifetimes_count(lifetimes); id++) {
    const dmd_lifetime_t *lifetime = dmd_lifetimes_at(lifetimes, id);
    const dmd_sum_t sum = {.stack = lifetime->stack, .section = DMD_SECTION_ALL};
    set_run(s, lifetime, v->values);
    visit_sample(v, &sum);
  }
}

void dmd_samples_visit(const dmd_samples_t *samples, const dmd_export_options_t *options,
                       void (*visit)(void *ctx, const dmd_sample_t *sample), void *ctx) {
  visit_t v = {.samples = samples, .options = options, .visit = visit, .ctx = ctx};
  for (uint32_t id = 1; id <= dmd_sums_count(&samples->of_dump); id++) {
    set_dump(samples->profile, dmd_sums_at(&samples->of_dump, id), v.values);
    visit_sample(&v, dmd_sums_at(&samples->of_dump, id));
  }
  dmd_mem_zero(v.values, sizeof v.values);
  uint32_t n = samples->profile->has_peak ? dmd_sums_count(&samples->of_peak) : 0;
  for (uint32_t id = 1; id <= n; id++) {
    set_peak(samples, dmd_sums_at(&samples->of_peak, id), v.values);
    visit_sample(&v, dmd_sums_at(&samples->of_peak, id));
  }
  if (samples->profile->lifetimes.is_known)
    visit_run(&v);
}

void dmd_samples_dropped(const dmd_samples_t *samples, dmd_strbuf_t *regexp) {
  const dmd_sums_t *sums[] = {&samples->of_dump, &samples->of_peak};
  dmd_drop_frames(regexp, samples->profile, sums, samples->profile->has_peak ? 2 : 1);
}
