/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes pprof's profile.proto; see profile.proto in this folder.
 *
 * A reader of protobuf merges a message that is written in pieces: it concatenates the repeated
 * fields of all pieces. So each sample, location and so on is written as a Profile of its own as
 * soon as it is made, and memory grows with the distinct strings instead of the samples. The string
 * table, whose order matters, is written last and in one piece.
 *
 * Samples are those of show/export/samples.h. Allocation functions are
 * dropped by pprof's drop_frames.
 */
#include "dmdv/push/export_pprof.h"

#include "base/strbuf.h"
#include "dmdv/push/profile.pb-c.h"
#include "host/process.h"
#include "show/export/samples.h"

#include <stdio.h>
#include <string.h>

/* Frames of an unknown object belong to the mapping of the program itself. */
enum { MAPPING_PROGRAM = 1 };

typedef struct {
  ProtobufCBuffer base; /* first, since protobuf-c passes a pointer to it */
  dmd_out_t *out;
} buffer_t;

typedef struct {
  uint64_t highest;     /* offset */
  const char *build_id; /* NULL or "": unknown */
} object_t;

typedef struct {
  const dmd_profile_t *profile;
  dmd_samples_t samples;
  buffer_t buffer;
  dmd_intern_t strings;   /* id 1 is the empty string, which has the index 0 */
  dmd_intern_t functions; /* pairs of string indices: name, file */
  dmd_intern_t objects;   /* the mapping of the first object follows MAPPING_PROGRAM */
  object_t *objects_seen; /* by object */
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

static void put_types(pprof_t *p) {
  Dmd__Pprof__Profile last = DMD__PPROF__PROFILE__INIT;
  for (size_t i = 0; i < p->samples.n_types; i++) {
    Dmd__Pprof__ValueType type = DMD__PPROF__VALUE_TYPE__INIT, *types[] = {&type};
    Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
    type.type = string_index(p, p->samples.types[i].name);
    type.unit = string_index(p, p->samples.types[i].unit);
    piece.n_sample_type = 1;
    piece.sample_type = types;
    put(p, &piece);
    if (i == p->samples.default_type)
      last.default_sample_type = type.type;
  }
  put(p, &last);
}

/* ---- Samples ---- */

/* A location's id is its frame's id; the location that stands for no stack comes after the last
 * frame. */
static uint64_t no_stack_id(const pprof_t *p) {
  return (uint64_t)dmd_frames_count(&p->profile->frames) + 1;
}

static void put_sample(void *pprof, const dmd_sample_t *from) {
  pprof_t *p = pprof;
  Dmd__Pprof__Sample sample = DMD__PPROF__SAMPLE__INIT, *samples[] = {&sample};
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  Dmd__Pprof__Label labels[DMD_SAMPLE_MAX_LABELS], *pointers[DMD_SAMPLE_MAX_LABELS];
  size_t n;
  const uint32_t *frames = dmd_profile_frames(p->profile, from->stack, &n);
  sample.n_location_id = n > 0 ? n : 1;
  sample.location_id =
      dmd_env_alloc(&dmdv_env, "dmdv.pprof", sample.n_location_id * sizeof *sample.location_id);
  sample.location_id[0] = no_stack_id(p);
  for (size_t i = 0; i < n; i++)
    sample.location_id[i] = frames[i];
  sample.n_value = p->samples.n_types;
  sample.value = (int64_t *)from->values;
  for (size_t i = 0; i < from->n_labels; i++) {
    dmd__pprof__label__init(&labels[i]);
    labels[i].key = string_index(p, from->labels[i].key);
    labels[i].str = string_index(p, from->labels[i].value);
    pointers[i] = &labels[i];
  }
  sample.n_label = from->n_labels;
  sample.label = pointers;
  piece.n_sample = 1;
  piece.sample = samples;
  put(p, &piece);
  dmd_env_free(&dmdv_env, sample.location_id);
}

static void put_dropped(pprof_t *p) {
  dmd_strbuf_t regexp;
  dmd_strbuf_init(&regexp, &dmdv_env);
  dmd_samples_dropped(&p->samples, &regexp);
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  piece.drop_frames = string_index(p, regexp.text);
  put(p, &piece);
  dmd_strbuf_destroy(&regexp);
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
  object_t *object = &p->objects_seen[id];
  object->build_id = location->build_id;
  if (location->offset != DMD_OFFSET_UNKNOWN && object->highest < location->offset)
    object->highest = location->offset;
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

static void put_mapping(pprof_t *p, uint64_t id, const char *name, const object_t *object) {
  uint64_t highest = object->highest;
  Dmd__Pprof__Mapping mapping = DMD__PPROF__MAPPING__INIT, *mappings[] = {&mapping};
  Dmd__Pprof__Profile piece = DMD__PPROF__PROFILE__INIT;
  mapping.id = id;
  mapping.memory_limit = highest < UINT64_MAX ? highest + 1 : highest;
  mapping.filename = string_index(p, name);
  mapping.build_id = string_index(p, object->build_id != NULL ? object->build_id : "");
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
  put_mapping(p, MAPPING_PROGRAM, n > 0 ? name.text : "(program)", &(object_t){0});
  dmd_strbuf_destroy(&name);
}

static void put_locations(pprof_t *p) {
  const dmd_frames_t *frames = &p->profile->frames;
  uint32_t n = dmd_frames_count(frames);
  put_program(p);
  p->objects_seen = dmd_env_alloc(&dmdv_env, "dmdv.pprof", (n + 1) * sizeof *p->objects_seen);
  memset(p->objects_seen, 0, (n + 1) * sizeof *p->objects_seen);
  for (uint32_t id = 1; id <= n; id++) {
    dmd_location_t location = dmd_frames_location(frames, id);
    put_location(p, id, &location, function_name(frames, id, &location));
  }
  put_location(p, no_stack_id(p), &(dmd_location_t){.offset = DMD_OFFSET_UNKNOWN}, DMD_NO_STACK);
  for (uint32_t id = 1; id <= dmd_intern_count(&p->objects); id++)
    put_mapping(p, MAPPING_PROGRAM + (uint64_t)id, dmd_intern_get_str(&p->objects, id),
                &p->objects_seen[id]);
  dmd_env_free(&dmdv_env, p->objects_seen);
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
  pprof_t p = {.profile = profile, .buffer = {.base = {append}, .out = out}};
  dmd_intern_init(&p.strings, &dmdv_env, "dmdv.pprof.strings");
  dmd_intern_init(&p.functions, &dmdv_env, "dmdv.pprof.functions");
  dmd_intern_init(&p.objects, &dmdv_env, "dmdv.pprof.objects");
  dmd_intern_str(&p.strings, "");
  dmd_samples_init(&p.samples, profile);
  put_types(&p);
  dmd_samples_visit(&p.samples, options, put_sample, &p);
  put_dropped(&p);
  put_locations(&p);
  put_time(&p);
  put_comments(&p, options->exporter);
  put_strings(&p);
  dmd_samples_destroy(&p.samples);
  dmd_intern_destroy(&p.objects);
  dmd_intern_destroy(&p.functions);
  dmd_intern_destroy(&p.strings);
  return NULL;
}
