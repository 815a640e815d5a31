/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes pprof's profile.proto; see profile.proto in this folder.
 *
 * A reader of protobuf merges a message that is written in pieces: it concatenates the repeated
 * fields of all pieces. So each sample, location and so on is written as a Profile of its own as
 * soon as it is made, and memory grows with the distinct strings instead of the samples. The string
 * table, whose order matters, is written last and in one piece.
 *
 * The values of a sample are blocks and bytes for each report state, for the blocks as a whole, and
 * for slop. A sample's blocks are in one state, so the values of other states are 0. If the profile
 * has its peak, blocks and bytes of that follow, in samples of their own, and so do, if it has
 * lifetimes, all that was allocated in the run, and how many of it was temporary. Labels hold
 * the state, tag, reporters, thread, process, and the user's own labels. Allocation functions are
 * dropped by pprof's drop_frames.
 */
#include "dmdv/export_pprof.h"

#include "analyse/records/sums.h"
#include "base/strbuf.h"
#include "dmdv/profile.pb-c.h"
#include "host/process.h"
#include "show/export/dropframes.h"

#include <stdio.h>
#include <string.h>

/* Frames of an unknown object belong to the mapping of the program itself. */
enum { MAPPING_PROGRAM = 1, MAX_VALUES = 15 };

typedef struct {
  ProtobufCBuffer base; /* first, since protobuf-c passes a pointer to it */
  dmd_out_t *out;
} buffer_t;

typedef struct {
  const dmd_profile_t *profile;
  const dmd_export_options_t *options;
  buffer_t buffer;
  dmd_intern_t strings;   /* id 1 is the empty string, which has the index 0 */
  dmd_intern_t functions; /* pairs of string indices: name, file */
  dmd_intern_t objects;   /* the mapping of the first object follows MAPPING_PROGRAM */
  uint64_t *limits;       /* of each object, the highest offset */
} pprof_t;

static void append(ProtobufCBuffer *buffer, size_t n, const uint8_t *bytes) {
  dmd_out_bytes(((buffer_t *)buffer)->out, (const char *)bytes, n);
}

static int64_t string_index(pprof_t *p, const char *s) {
  return (int64_t)dmd_intern_str(&p->strings, s) - 1;
}

/* Writes a piece of the profile. */
static void put(pprof_t *p, const Dmd__Pprof__Profile *piece) {
  protobuf_c_message_pack_to_buffer(&piece->base, &p->buffer.base);
}

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

/* Writes the sample type WORD_UNIT. Returns the string of its name. */
static int64_t put_type(pprof_t *p, const char *word, const char *what, const char *unit) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", word, what);
  Dmd__Pprof__ValueType type = DMD__PPROF__VALUE_TYPE__INIT, *types[] = {&type};
  type.type = string_index(p, name);
  type.unit = string_index(p, unit);
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  piece.n_sample_type = 1;
  piece.sample_type = types;
  put(p, &piece);
  return type.type;
}

static void put_types(pprof_t *p) {
  dmd_section_t sections[MAX_SECTIONS];
  size_t n = sections_of(p->profile, sections);
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  for (size_t i = 0; i < n; i++) {
    const char *word = section_word(p->profile, sections[i]);
    put_type(p, word, "blocks", "count");
    int64_t bytes = put_type(p, word, "bytes", "bytes");
    if (i == 0)
      piece.default_sample_type = bytes;
  }
  put_type(p, "slop", "blocks", "count");
  put_type(p, "slop", "bytes", "bytes");
  if (p->profile->has_peak) {
    put_type(p, "peak", "blocks", "count");
    int64_t bytes = put_type(p, "peak", "bytes", "bytes");
    if (dmd_peak_matters(p->profile))
      piece.default_sample_type = bytes;
  }
  if (p->profile->lifetimes.is_known) {
    put_type(p, "alloc", "objects", "count");
    put_type(p, "alloc", "space", "bytes");
    put_type(p, "temporary", "objects", "count");
  }
  put(p, &piece);
}

/* ---- Samples ---- */

/* What a sample is about; the values of others are 0. */
typedef enum { OF_DUMP, OF_PEAK, OF_RUN } about_t;

/* lifetime: that of the stack, if the sample is of the run. */
static size_t values_of(const pprof_t *p, const dmd_sum_t *sum, about_t about,
                        const dmd_lifetime_t *lifetime, int64_t values[MAX_VALUES]) {
  dmd_section_t sections[MAX_SECTIONS];
  size_t n_sections = sections_of(p->profile, sections), n = 0;
  for (size_t i = 0; i < n_sections; i++) {
    bool own = about == OF_DUMP && (sections[i] == sum->section || sections[i] == DMD_SECTION_ALL);
    values[n++] = own ? (int64_t)sum->blocks : 0;
    values[n++] = own ? (int64_t)sum->bytes : 0;
  }
  values[n++] = about == OF_DUMP ? (int64_t)sum->slop_blocks : 0;
  values[n++] = about == OF_DUMP ? (int64_t)sum->slop : 0;
  if (p->profile->has_peak) {
    values[n++] = about == OF_PEAK ? (int64_t)sum->blocks : 0;
    values[n++] = about == OF_PEAK ? (int64_t)sum->bytes : 0;
  }
  if (p->profile->lifetimes.is_known) {
    values[n++] = about == OF_RUN ? (int64_t)lifetime->n_allocs : 0;
    values[n++] = about == OF_RUN ? (int64_t)lifetime->alloc_szB : 0;
    values[n++] = about == OF_RUN ? (int64_t)lifetime->n_temporary : 0;
  }
  return n;
}

enum { MAX_LABELS = 6 + DMD_EXPORT_MAX_LABELS };

typedef struct {
  Dmd__Pprof__Label labels[MAX_LABELS], *pointers[MAX_LABELS];
  size_t n;
} labels_t;

static void add_label(pprof_t *p, labels_t *labels, const char *key, const char *value) {
  Dmd__Pprof__Label *label = &labels->labels[labels->n];
  dmd__pprof__label__init(label);
  label->key = string_index(p, key);
  label->str = string_index(p, value);
  labels->pointers[labels->n++] = label;
}

/* Adds the process of a merged profile; it is the last frame of the stack. */
static void add_process(pprof_t *p, const dmd_sum_t *sum, labels_t *labels) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(p->profile, sum->stack, &n);
  if (n == 0 || dmd_intern_count(&p->profile->processes) == 0)
    return;
  const char *outermost = dmd_frames_text(&p->profile->frames, frames[n - 1]);
  if (dmd_intern_find_str(&p->profile->processes, outermost) != DMD_NONE)
    add_label(p, labels, "process", outermost);
}

static void make_labels(pprof_t *p, const dmd_sum_t *sum, labels_t *labels) {
  static const char *const reporters[] = {"reporter", "second_reporter"};
  labels->n = 0;
  if (sum->section != DMD_SECTION_ALL)
    add_label(p, labels, "status", dmd_sums_section_name(p->profile, sum->section));
  if (sum->tag != DMD_NONE)
    add_label(p, labels, "tag", dmd_intern_get_str(&p->profile->tags, sum->tag));
  for (int i = 0; i < 2; i++)
    if (sum->reporter[i] != DMD_NONE)
      add_label(p, labels, reporters[i], dmd_intern_get_str(&p->profile->names, sum->reporter[i]));
  if (sum->thread != DMD_NONE) {
    char thread[16];
    snprintf(thread, sizeof thread, "%u", (unsigned)sum->thread);
    add_label(p, labels, "thread", thread);
  }
  add_process(p, sum, labels);
  for (size_t i = 0; i < p->options->n_labels; i++)
    add_label(p, labels, p->options->labels[i].key, p->options->labels[i].value);
}

/* A location's id is its frame's id; the location that stands for no stack comes after the last
 * frame. */
static uint64_t no_stack_id(const pprof_t *p) {
  return (uint64_t)dmd_frames_count(&p->profile->frames) + 1;
}

static void put_sample(pprof_t *p, const dmd_sum_t *sum, about_t about,
                       const dmd_lifetime_t *lifetime) {
  Dmd__Pprof__Sample sample = DMD__PPROF__SAMPLE__INIT, *samples[] = {&sample};
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  int64_t values[MAX_VALUES];
  labels_t labels;
  size_t n;
  const uint32_t *frames = dmd_profile_frames(p->profile, sum->stack, &n);
  sample.n_location_id = n > 0 ? n : 1;
  sample.location_id =
      dmd_env_alloc(&dmdv_env, "dmdv.pprof", sample.n_location_id * sizeof *sample.location_id);
  sample.location_id[0] = no_stack_id(p);
  for (size_t i = 0; i < n; i++)
    sample.location_id[i] = frames[i];
  sample.n_value = values_of(p, sum, about, lifetime, values);
  sample.value = values;
  make_labels(p, sum, &labels);
  sample.n_label = labels.n;
  sample.label = labels.pointers;
  piece.n_sample = 1;
  piece.sample = samples;
  put(p, &piece);
  dmd_env_free(&dmdv_env, sample.location_id);
}

static void put_dropped(pprof_t *p, const dmd_sums_t *const *sums, size_t n_sums) {
  dmd_strbuf_t regexp;
  dmd_strbuf_init(&regexp, &dmdv_env);
  dmd_drop_frames(&regexp, p->profile, sums, n_sums);
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  piece.drop_frames = string_index(p, regexp.text);
  put(p, &piece);
  dmd_strbuf_destroy(&regexp);
}

static void put_sums(pprof_t *p, const dmd_sums_t *sums, about_t about) {
  for (uint32_t id = 1; id <= dmd_sums_count(sums); id++)
    put_sample(p, dmd_sums_at(sums, id), about, NULL);
}

static void put_run(pprof_t *p) {
  const dmd_lifetimes_t *lifetimes = &p->profile->lifetimes;
  for (uint32_t id = 1; id <= dmd_lifetimes_count(lifetimes); id++) {
    const dmd_lifetime_t *lifetime = dmd_lifetimes_at(lifetimes, id);
    const dmd_sum_t sum = {.stack = lifetime->stack, .section = DMD_SECTION_ALL};
    put_sample(p, &sum, OF_RUN, lifetime);
  }
}

static void put_samples(pprof_t *p) {
  dmd_sums_t sums, of_peak;
  dmd_sums_init(&sums, p->profile, DMD_ALL_LABELS);
  put_sums(p, &sums, OF_DUMP);
  if (p->profile->has_peak) {
    dmd_peak_view_t peak;
    dmd_peak_view_init(&peak, p->profile, false);
    dmd_sums_init(&of_peak, &peak.profile, DMD_ALL_LABELS);
    put_sums(p, &of_peak, OF_PEAK);
    dmd_peak_view_destroy(&peak);
  }
  put_run(p);
  put_dropped(p, (const dmd_sums_t *const[]){&sums, &of_peak}, p->profile->has_peak ? 2 : 1);
  if (p->profile->has_peak)
    dmd_sums_destroy(&of_peak);
  dmd_sums_destroy(&sums);
}

/* ---- Locations, functions, mappings ---- */

/* The id of a function, which is written if it is new. */
static uint64_t function_id(pprof_t *p, const char *name, const char *file) {
  int64_t key[2] = {string_index(p, name), string_index(p, file != NULL ? file : "")};
  uint32_t known = dmd_intern_count(&p->functions);
  uint32_t id = dmd_intern_bytes(&p->functions, key, sizeof key);
  if (id > known) {
    Dmd__Pprof__Function function = DMD__PPROF__FUNCTION__INIT, *functions[] = {&function};
    Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
    function.id = id;
    function.name = key[0];
    function.system_name = key[0];
    function.filename = key[1];
    piece.n_function = 1;
    piece.function = functions;
    put(p, &piece);
  }
  return id;
}

/* The id of an object's mapping, which extends to the highest offset seen. */
static uint64_t mapping_id(pprof_t *p, const dmd_location_t *location) {
  if (location->object == NULL)
    return MAPPING_PROGRAM;
  uint32_t id = dmd_intern_str(&p->objects, location->object);
  if (location->offset != DMD_OFFSET_UNKNOWN && p->limits[id] < location->offset)
    p->limits[id] = location->offset;
  return MAPPING_PROGRAM + (uint64_t)id;
}

/* The name of a location's function. If it is unknown, the whole frame is the name, so that
 * different places stay different. */
static const char *function_name(const dmd_frames_t *frames, uint32_t id,
                                 const dmd_location_t *location) {
  if (location->function != NULL)
    return location->function;
  return location->object != NULL && location->file == NULL ? dmd_frames_text(frames, id) : "?\?\?";
}

/* Writes the location of a frame, or the one that stands for no stack. */
static void put_location(pprof_t *p, uint64_t id, const dmd_location_t *l, const char *function) {
  Dmd__Pprof__Location location = DMD__PPROF__LOCATION__INIT, *locations[] = {&location};
  Dmd__Pprof__Line line = DMD__PPROF__LINE__INIT, *lines[] = {&line};
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  line.function_id = function_id(p, function, l->file);
  line.line = l->line <= INT64_MAX ? (int64_t)l->line : 0;
  location.id = id;
  location.mapping_id = mapping_id(p, l);
  location.address = l->offset != DMD_OFFSET_UNKNOWN ? l->offset : 0;
  location.n_line = 1;
  location.line = lines;
  piece.n_location = 1;
  piece.location = locations;
  put(p, &piece);
}

static void put_mapping(pprof_t *p, uint64_t id, const char *name, uint64_t highest) {
  Dmd__Pprof__Mapping mapping = DMD__PPROF__MAPPING__INIT, *mappings[] = {&mapping};
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  mapping.id = id;
  mapping.memory_limit = highest < UINT64_MAX ? highest + 1 : highest;
  mapping.filename = string_index(p, name);
  mapping.has_functions = mapping.has_filenames = true;
  mapping.has_line_numbers = mapping.has_inline_frames = true;
  piece.n_mapping = 1;
  piece.mapping = mappings;
  put(p, &piece);
}

static void put_program(pprof_t *p) {
  size_t n = 0;
  const char *program = dmd_profile_program(p->profile, &n);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  if (program != NULL)
    dmd_strbuf_bytes(&name, program, n);
  put_mapping(p, MAPPING_PROGRAM, n > 0 ? name.text : "(program)", 0);
  dmd_strbuf_destroy(&name);
}

static void put_locations(pprof_t *p) {
  const dmd_frames_t *frames = &p->profile->frames;
  uint32_t n = dmd_frames_count(frames);
  put_program(p);
  p->limits = dmd_env_alloc(&dmdv_env, "dmdv.pprof", (n + 1) * sizeof *p->limits);
  memset(p->limits, 0, (n + 1) * sizeof *p->limits);
  for (uint32_t id = 1; id <= n; id++) {
    dmd_location_t location = dmd_frames_location(frames, id);
    put_location(p, id, &location, function_name(frames, id, &location));
  }
  put_location(p, no_stack_id(p), &(dmd_location_t){.offset = DMD_OFFSET_UNKNOWN}, DMD_NO_STACK);
  for (uint32_t id = 1; id <= dmd_intern_count(&p->objects); id++)
    put_mapping(p, MAPPING_PROGRAM + (uint64_t)id, dmd_intern_get_str(&p->objects, id),
                p->limits[id]);
  dmd_env_free(&dmdv_env, p->limits);
}

/* ---- The rest ---- */

static void put_comment(pprof_t *p, const char *what, const char *value) {
  size_t szB = strlen(what) + strlen(value) + 1;
  char *text = dmd_env_alloc(&dmdv_env, "dmdv.pprof", szB);
  snprintf(text, szB, "%s%s", what, value);
  int64_t comment = string_index(p, text);
  dmd_env_free(&dmdv_env, text);
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  piece.n_comment = 1;
  piece.comment = &comment;
  put(p, &piece);
}

static void put_comments(pprof_t *p, const char *exporter) {
  const dmd_profile_t *profile = p->profile;
  put_comment(p, "made by ", exporter);
  put_comment(p, "mode: ", dmd_mode_name(profile->mode));
  if (profile->options != NULL)
    put_comment(p, "options: ", profile->options);
  if (profile->run.is_known && profile->run.command != NULL)
    put_comment(p, "command: ", profile->run.command);
  if (dmd_profile_is_sampled(profile))
    put_comment(p, "", "blocks were sampled: numbers are estimates");
}

/* Blocks are counted byte by byte, so the period, which stores of profiles require, is one byte. */
static void put_time(pprof_t *p) {
  const int64_t nanos = 1000000000;
  Dmd__Pprof__ValueType type = DMD__PPROF__VALUE_TYPE__INIT;
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  const char *time = p->profile->run.time;
  int64_t seconds = 0;
  bool is_known = time != NULL && dmdv_parse_time(time, &seconds);
  type.type = string_index(p, "space");
  type.unit = string_index(p, "bytes");
  piece.period_type = &type;
  piece.period = 1;
  if (is_known && seconds > 0 && seconds < INT64_MAX / nanos)
    piece.time_nanos = seconds * nanos;
  put(p, &piece);
}

static void put_strings(pprof_t *p) {
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  piece.n_string_table = dmd_intern_count(&p->strings);
  piece.string_table =
      dmd_env_alloc(&dmdv_env, "dmdv.pprof", piece.n_string_table * sizeof *piece.string_table);
  for (size_t i = 0; i < piece.n_string_table; i++)
    piece.string_table[i] = (char *)dmd_intern_get_str(&p->strings, (uint32_t)i + 1);
  put(p, &piece);
  dmd_env_free(&dmdv_env, piece.string_table);
}

const char *dmdv_export_pprof(const dmd_profile_t *profile, dmd_out_t *out,
                              const dmd_export_options_t *options) {
  pprof_t p = {.profile = profile, .options = options, .buffer = {.base = {append}, .out = out}};
  dmd_intern_init(&p.strings, &dmdv_env, "dmdv.pprof.strings");
  dmd_intern_init(&p.functions, &dmdv_env, "dmdv.pprof.functions");
  dmd_intern_init(&p.objects, &dmdv_env, "dmdv.pprof.objects");
  dmd_intern_str(&p.strings, "");
  put_types(&p);
  put_samples(&p);
  put_locations(&p);
  put_time(&p);
  put_comments(&p, options->exporter);
  put_strings(&p);
  dmd_intern_destroy(&p.objects);
  dmd_intern_destroy(&p.functions);
  dmd_intern_destroy(&p.strings);
  return NULL;
}
