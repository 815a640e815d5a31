/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes OpenTelemetry's profiles; see otlp.proto in this folder.
 *
 * The whole message is made in memory and then written. Each table is a pool, whose elements never
 * move, so that they can point to each other; the element with the id n has the index n - 1, and
 * the first is empty. A table has only what samples use. The format has one sample type for each
 * Profile: the default type comes first, since readers show the first one.
 */
#include "dmdv/push/export_otlp.h"

#include "base/format.h"
#include "base/path.h"
#include "base/str.h"
#include "dmd-config.h"
#include "dmdv/push/otlp.pb-c.h"
#include "host/process.h"
#include "show/export/samples.h"

#include <string.h>

typedef struct {
  Dmd__Otlp__Mapping mapping;
  int32_t attribute;
} mapping_t;

typedef struct {
  Dmd__Otlp__Location location;
  Dmd__Otlp__Line line, *lines[1];
} location_t;

typedef struct {
  Dmd__Otlp__Attribute attribute;
  Dmd__Otlp__AnyValue value;
} attribute_t;

typedef struct {
  Dmd__Otlp__Sample sample;
  int64_t value;
  int32_t attributes[DMD_SAMPLE_MAX_LABELS];
} sample_t;

typedef struct {
  Dmd__Otlp__KeyValue pair;
  Dmd__Otlp__AnyValue value;
} resource_attribute_t;

enum { MAX_RESOURCE_ATTRIBUTES = 4 + DMD_EXPORT_MAX_LABELS };

typedef struct {
  const dmd_profile_t *profile;
  dmd_samples_t samples;
  dmd_intern_t strings;        /* id 1 is the empty string, which has the index 0 */
  dmd_intern_t function_keys;  /* pairs of string indices: name, file */
  dmd_intern_t object_keys;    /* pairs of indices: path, build id's attribute */
  dmd_intern_t attribute_keys; /* label=value */
  dmd_pool_t mappings, locations, functions, attributes, stacks; /* the tables */
  dmd_pool_t location_of, stack_of; /* by frame and stack of the profile: index + 1 as uint32_t */
  dmd_pool_t of_type[DMD_SAMPLES_MAX_TYPES]; /* sample_t */
  resource_attribute_t resource[MAX_RESOURCE_ATTRIBUTES];
  size_t n_resource;
  dmd_strbuf_t program;
} otlp_t;

static int32_t string_index(otlp_t *o, const char *s) {
  return (int32_t)dmd_intern_str(&o->strings, s) - 1;
}

/* Adds a zeroed element, and returns its index. */
static int32_t add(dmd_pool_t *pool) {
  dmd_pool_reach(pool, pool->last + 1);
  return (int32_t)pool->last - 1;
}

#define LAST(pool, type) DMD_POOL_AT(pool, type, (pool)->last)

/* ---- Attributes ---- */

static void set_string(Dmd__Otlp__AnyValue *value, const char *text) {
  dmd__otlp__any_value__init(value);
  value->value_case = DMD__OTLP__ANY_VALUE__VALUE_STRING_VALUE;
  value->string_value = (char *)text;
}

static void set_number(Dmd__Otlp__AnyValue *value, uint64_t number) {
  dmd__otlp__any_value__init(value);
  value->value_case = DMD__OTLP__ANY_VALUE__VALUE_INT_VALUE;
  value->int_value = (int64_t)number;
}

static int32_t add_attribute(otlp_t *o, const char *key) {
  int32_t index = add(&o->attributes);
  attribute_t *a = LAST(&o->attributes, attribute_t);
  dmd__otlp__attribute__init(&a->attribute);
  dmd__otlp__any_value__init(&a->value);
  if (key == NULL)
    return index;
  a->attribute.key = string_index(o, key);
  a->attribute.value = &a->value;
  return index;
}

/* The name of a label: OpenTelemetry's if it has one. */
static const char *attribute_name(const char *label, dmd_strbuf_t *name) {
  if (strcmp(label, "thread") == 0)
    return "thread.id";
  if (strchr(label, '.') != NULL)
    return label;
  dmd_strbuf_cut(name, 0);
  dmd_strbuf_str(name, "dmd.");
  dmd_strbuf_str(name, label);
  return name->text;
}

/* The index of a label, which is added if it is new. */
static int32_t label_index(otlp_t *o, const dmd_export_label_t *label) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_str(&key, label->key);
  dmd_strbuf_str(&key, "=");
  dmd_strbuf_str(&key, label->value);
  uint32_t known = dmd_intern_count(&o->attribute_keys);
  uint32_t id = dmd_intern_str(&o->attribute_keys, key.text);
  if (id > known) {
    add_attribute(o, attribute_name(label->key, &key));
    Dmd__Otlp__AnyValue *value = &LAST(&o->attributes, attribute_t)->value;
    uint64_t number;
    if (strcmp(label->key, "thread") == 0 && dmd_str_to_u64(label->value, 10, &number))
      set_number(value, number);
    else
      set_string(value, dmd_intern_get_str(&o->attribute_keys, id) + strlen(label->key) + 1);
  }
  dmd_strbuf_destroy(&key);
  return (int32_t)id;
}

/* ---- Mappings, functions, locations, stacks ---- */

static int32_t mapping_index(otlp_t *o, const dmd_location_t *location) {
  if (location->object == NULL)
    return 0;
  const dmd_export_label_t label = {"process.executable.build_id.gnu", location->build_id};
  bool has_build_id = location->build_id != NULL && location->build_id[0] != '\0';
  const int32_t key[] = {string_index(o, location->object),
                         has_build_id ? label_index(o, &label) : 0};
  uint32_t known = dmd_intern_count(&o->object_keys);
  uint32_t id = dmd_intern_bytes(&o->object_keys, key, sizeof key);
  if (id > known) {
    add(&o->mappings);
    mapping_t *m = LAST(&o->mappings, mapping_t);
    dmd__otlp__mapping__init(&m->mapping);
    m->mapping.filename = key[0];
    m->attribute = key[1];
    m->mapping.n_attribute_indices = has_build_id ? 1 : 0;
    m->mapping.attribute_indices = &m->attribute;
  }
  Dmd__Otlp__Mapping *mapping = &DMD_POOL_AT(&o->mappings, mapping_t, id + 1)->mapping;
  if (location->offset < UINT64_MAX && mapping->memory_limit <= location->offset)
    mapping->memory_limit = location->offset + 1;
  return (int32_t)id;
}

static int32_t function_index(otlp_t *o, const char *name, const char *file) {
  const int32_t key[] = {string_index(o, name), string_index(o, file != NULL ? file : "")};
  uint32_t known = dmd_intern_count(&o->function_keys);
  uint32_t id = dmd_intern_bytes(&o->function_keys, key, sizeof key);
  if (id > known) {
    add(&o->functions);
    Dmd__Otlp__Function *function = LAST(&o->functions, Dmd__Otlp__Function);
    dmd__otlp__function__init(function);
    function->name = key[0];
    function->filename = key[1];
  }
  return (int32_t)id;
}

static int32_t add_location(otlp_t *o, const dmd_location_t *from, const char *function) {
  int32_t index = add(&o->locations);
  location_t *l = LAST(&o->locations, location_t);
  dmd__otlp__location__init(&l->location);
  dmd__otlp__line__init(&l->line);
  l->location.mapping_index = mapping_index(o, from);
  l->location.address = from->offset != DMD_OFFSET_UNKNOWN ? from->offset : 0;
  if (function == NULL)
    return index;
  l->line.function_index = function_index(o, function, from->file);
  l->line.line = from->line <= INT64_MAX ? (int64_t)from->line : 0;
  l->lines[0] = &l->line;
  l->location.n_lines = 1;
  l->location.lines = l->lines;
  return index;
}

/* The name of a location's function; NULL: readers can find it in the object. */
static const char *function_name(const otlp_t *o, uint32_t frame, const dmd_location_t *l) {
  if (l->function != NULL)
    return l->function;
  if (l->object == NULL || l->file != NULL)
    return "?\?\?";
  return l->offset != DMD_OFFSET_UNKNOWN ? NULL : dmd_frames_text(&o->profile->frames, frame);
}

static int32_t location_index(otlp_t *o, uint32_t frame) {
  dmd_pool_reach(&o->location_of, frame);
  uint32_t *known = DMD_POOL_AT(&o->location_of, uint32_t, frame);
  if (*known == 0) {
    const dmd_location_t l = dmd_frames_location(&o->profile->frames, frame);
    *known = (uint32_t)add_location(o, &l, function_name(o, frame, &l)) + 1;
  }
  return (int32_t)*known - 1;
}

static int32_t add_stack(otlp_t *o, size_t n) {
  int32_t index = add(&o->stacks);
  Dmd__Otlp__Stack *stack = LAST(&o->stacks, Dmd__Otlp__Stack);
  dmd__otlp__stack__init(stack);
  stack->n_location_indices = n;
  if (n > 0)
    stack->location_indices =
        dmd_env_alloc(&dmdv_env, "dmdv.otlp", n * sizeof *stack->location_indices);
  return index;
}

/* The index of a stack, which is added if it is new; the one that stands for no stack has one
 * pseudo frame. */
static int32_t stack_index(otlp_t *o, uint32_t id) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(o->profile, id, &n);
  dmd_pool_reach(&o->stack_of, id + 1);
  uint32_t *known = DMD_POOL_AT(&o->stack_of, uint32_t, id + 1);
  if (*known != 0)
    return (int32_t)*known - 1;
  *known = (uint32_t)add_stack(o, n > 0 ? n : 1) + 1;
  Dmd__Otlp__Stack *stack = LAST(&o->stacks, Dmd__Otlp__Stack);
  for (size_t i = 0; i < n; i++)
    stack->location_indices[i] = location_index(o, frames[i]);
  if (n == 0)
    stack->location_indices[0] =
        add_location(o, &(dmd_location_t){.offset = DMD_OFFSET_UNKNOWN}, DMD_NO_STACK);
  return (int32_t)*known - 1;
}

/* ---- Samples ---- */

static void add_sample(void *ctx, const dmd_sample_t *from) {
  otlp_t *o = ctx;
  int32_t attributes[DMD_SAMPLE_MAX_LABELS], stack = stack_index(o, from->stack);
  for (size_t i = 0; i < from->n_labels; i++)
    attributes[i] = label_index(o, &from->labels[i]);
  for (size_t i = 0; i < o->samples.n_types; i++) {
    if (from->values[i] == 0)
      continue;
    add(&o->of_type[i]);
    sample_t *s = LAST(&o->of_type[i], sample_t);
    dmd__otlp__sample__init(&s->sample);
    s->sample.stack_index = stack;
    s->value = from->values[i];
    s->sample.n_values = 1;
    s->sample.values = &s->value;
    memcpy(s->attributes, attributes, from->n_labels * sizeof *attributes);
    s->sample.n_attribute_indices = from->n_labels;
    s->sample.attribute_indices = s->attributes;
  }
}

/* ---- The resource ---- */

static resource_attribute_t *add_to_resource(otlp_t *o, const char *key) {
  resource_attribute_t *a = &o->resource[o->n_resource++];
  dmd__otlp__key_value__init(&a->pair);
  a->pair.key = (char *)key;
  a->pair.value = &a->value;
  return a;
}

static bool has_label(const dmd_export_options_t *options, const char *key) {
  for (size_t i = 0; i < options->n_labels; i++)
    if (strcmp(options->labels[i].key, key) == 0)
      return true;
  return false;
}

/* The program's name, unless the user gives one: stores file profiles under it. */
static void make_resource(otlp_t *o, const dmd_export_options_t *options) {
  const dmd_run_t *run = &o->profile->run;
  size_t n = 0;
  const char *program = dmd_profile_program(o->profile, &n);
  if (program != NULL)
    dmd_strbuf_bytes(&o->program, program, n);
  const char *name = dmd_path_base(o->program.text);
  if (!has_label(options, "service.name"))
    set_string(&add_to_resource(o, "service.name")->value,
               name[0] != '\0' ? name : "unknown_service");
  if (run->is_known && run->pid > 0 && !has_label(options, "process.pid"))
    set_number(&add_to_resource(o, "process.pid")->value, run->pid);
  if (run->is_known && run->command != NULL && !has_label(options, "process.command_line"))
    set_string(&add_to_resource(o, "process.command_line")->value, run->command);
  if (run->is_known && run->host != NULL && !has_label(options, "host.name"))
    set_string(&add_to_resource(o, "host.name")->value, run->host);
  for (size_t i = 0; i < options->n_labels; i++)
    set_string(&add_to_resource(o, options->labels[i].key)->value, options->labels[i].value);
}

/* ---- The message ---- */

typedef struct {
  ProtobufCBuffer base; /* first, since protobuf-c passes a pointer to it */
  dmd_out_t *out;
} buffer_t;

static void append(ProtobufCBuffer *buffer, size_t n, const uint8_t *bytes) {
  dmd_out_bytes(((buffer_t *)buffer)->out, (const char *)bytes, n);
}

/* Pointers to all elements, each of which begins with a message. The caller frees the list. */
static void *pointers_to(const dmd_pool_t *pool) {
  void **list = dmd_env_alloc(&dmdv_env, "dmdv.otlp", (pool->last + 1) * sizeof *list);
  for (uint32_t id = 1; id <= pool->last; id++)
    list[id - 1] = dmd_pool_at(pool, id);
  return list;
}

static uint64_t time_of(const dmd_profile_t *profile) {
  const int64_t nanos = 1000000000;
  int64_t seconds = 0;
  if (profile->run.time == NULL || !dmdv_parse_time(profile->run.time, &seconds) || seconds < 0 ||
      seconds >= INT64_MAX / nanos)
    return 0;
  return (uint64_t)(seconds * nanos);
}

typedef struct {
  Dmd__Otlp__Profile profiles[DMD_SAMPLES_MAX_TYPES], *pointers[DMD_SAMPLES_MAX_TYPES];
  Dmd__Otlp__ValueType types[DMD_SAMPLES_MAX_TYPES], period;
  size_t n;
} profiles_t;

static void add_profile(otlp_t *o, profiles_t *p, size_t type) {
  uint64_t interval = o->profile->run.sample_interval;
  Dmd__Otlp__Profile *profile = &p->profiles[p->n];
  dmd__otlp__profile__init(profile);
  dmd__otlp__value_type__init(&p->types[p->n]);
  p->types[p->n].type = string_index(o, o->samples.types[type].name);
  p->types[p->n].unit = string_index(o, o->samples.types[type].unit);
  profile->sample_type = &p->types[p->n];
  profile->n_samples = o->of_type[type].last;
  profile->samples = pointers_to(&o->of_type[type]);
  profile->time_unix_nano = time_of(o->profile);
  profile->period_type = &p->period;
  profile->period = interval > 0 && interval <= INT64_MAX ? (int64_t)interval : 1;
  p->pointers[p->n++] = profile;
}

/* Makes the profiles: the default type first, and others if they have samples. */
static void make_profiles(otlp_t *o, profiles_t *p) {
  p->n = 0;
  dmd__otlp__value_type__init(&p->period);
  p->period.type = string_index(o, "space");
  p->period.unit = string_index(o, "bytes");
  add_profile(o, p, o->samples.default_type);
  for (size_t i = 0; i < o->samples.n_types; i++)
    if (i != o->samples.default_type && o->of_type[i].last > 0)
      add_profile(o, p, i);
}

static char **strings_of(const otlp_t *o) {
  uint32_t n = dmd_intern_count(&o->strings);
  char **list = dmd_env_alloc(&dmdv_env, "dmdv.otlp", n * sizeof *list);
  for (uint32_t id = 1; id <= n; id++)
    list[id - 1] = (char *)dmd_intern_get_str(&o->strings, id);
  return list;
}

static void make_tables(const otlp_t *o, Dmd__Otlp__Dictionary *tables) {
  tables->n_mapping_table = o->mappings.last;
  tables->mapping_table = pointers_to(&o->mappings);
  tables->n_location_table = o->locations.last;
  tables->location_table = pointers_to(&o->locations);
  tables->n_function_table = o->functions.last;
  tables->function_table = pointers_to(&o->functions);
  tables->n_attribute_table = o->attributes.last;
  tables->attribute_table = pointers_to(&o->attributes);
  tables->n_stack_table = o->stacks.last;
  tables->stack_table = pointers_to(&o->stacks);
  tables->n_string_table = dmd_intern_count(&o->strings);
  tables->string_table = strings_of(o);
}

static void free_tables(const Dmd__Otlp__Dictionary *tables) {
  void *lists[] = {tables->mapping_table,   tables->location_table, tables->function_table,
                   tables->attribute_table, tables->stack_table,    tables->string_table};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    dmd_env_free(&dmdv_env, lists[i]);
}

static void write_message(otlp_t *o, profiles_t *p, dmd_out_t *out) {
  Dmd__Otlp__Scope scope = DMD__OTLP__SCOPE__INIT;
  Dmd__Otlp__ScopeProfiles scoped = DMD__OTLP__SCOPE_PROFILES__INIT, *scopes[] = {&scoped};
  Dmd__Otlp__Resource resource = DMD__OTLP__RESOURCE__INIT;
  Dmd__Otlp__ResourceProfiles owned = DMD__OTLP__RESOURCE_PROFILES__INIT, *owners[] = {&owned};
  Dmd__Otlp__Link link = DMD__OTLP__LINK__INIT, *links[] = {&link};
  Dmd__Otlp__Dictionary tables = DMD__OTLP__DICTIONARY__INIT;
  Dmd__Otlp__Profiles message = DMD__OTLP__PROFILES__INIT;
  Dmd__Otlp__KeyValue *attributes[MAX_RESOURCE_ATTRIBUTES];
  uint8_t zeroes[16] = {0};
  buffer_t buffer = {.base = {append}, .out = out};
  for (size_t i = 0; i < o->n_resource; i++)
    attributes[i] = &o->resource[i].pair;
  resource.n_attributes = o->n_resource;
  resource.attributes = attributes;
  scope.name = (char *)"dmd";
  scope.version = (char *)DMD_VERSION;
  scoped.scope = &scope;
  scoped.n_profiles = p->n;
  scoped.profiles = p->pointers;
  owned.resource = &resource;
  owned.n_scope_profiles = 1;
  owned.scope_profiles = scopes;
  link.trace_id = (ProtobufCBinaryData){16, zeroes};
  link.span_id = (ProtobufCBinaryData){8, zeroes};
  tables.n_link_table = 1;
  tables.link_table = links;
  make_tables(o, &tables);
  message.n_resource_profiles = 1;
  message.resource_profiles = owners;
  message.dictionary = &tables;
  protobuf_c_message_pack_to_buffer(&message.base, &buffer.base);
  free_tables(&tables);
}

/* ---- The whole ---- */

static void begin(otlp_t *o) {
  dmd_intern_init(&o->strings, &dmdv_env, "dmdv.otlp.strings");
  dmd_intern_init(&o->function_keys, &dmdv_env, "dmdv.otlp.functions");
  dmd_intern_init(&o->object_keys, &dmdv_env, "dmdv.otlp.objects");
  dmd_intern_init(&o->attribute_keys, &dmdv_env, "dmdv.otlp.attributes");
  dmd_pool_init(&o->mappings, &dmdv_env, "dmdv.otlp", sizeof(mapping_t));
  dmd_pool_init(&o->locations, &dmdv_env, "dmdv.otlp", sizeof(location_t));
  dmd_pool_init(&o->functions, &dmdv_env, "dmdv.otlp", sizeof(Dmd__Otlp__Function));
  dmd_pool_init(&o->attributes, &dmdv_env, "dmdv.otlp", sizeof(attribute_t));
  dmd_pool_init(&o->stacks, &dmdv_env, "dmdv.otlp", sizeof(Dmd__Otlp__Stack));
  dmd_pool_init(&o->location_of, &dmdv_env, "dmdv.otlp", sizeof(uint32_t));
  dmd_pool_init(&o->stack_of, &dmdv_env, "dmdv.otlp", sizeof(uint32_t));
  for (size_t i = 0; i < DMD_SAMPLES_MAX_TYPES; i++)
    dmd_pool_init(&o->of_type[i], &dmdv_env, "dmdv.otlp", sizeof(sample_t));
  dmd_strbuf_init(&o->program, &dmdv_env);
  dmd_intern_str(&o->strings, "");
  add(&o->mappings);
  dmd__otlp__mapping__init(&LAST(&o->mappings, mapping_t)->mapping);
  add(&o->locations);
  dmd__otlp__location__init(&LAST(&o->locations, location_t)->location);
  add(&o->functions);
  dmd__otlp__function__init(LAST(&o->functions, Dmd__Otlp__Function));
  add_attribute(o, NULL);
  add_stack(o, 0);
}

static void end(otlp_t *o) {
  for (uint32_t id = 2; id <= o->stacks.last; id++)
    dmd_env_free(&dmdv_env, DMD_POOL_AT(&o->stacks, Dmd__Otlp__Stack, id)->location_indices);
  dmd_strbuf_destroy(&o->program);
  for (size_t i = 0; i < DMD_SAMPLES_MAX_TYPES; i++)
    dmd_pool_destroy(&o->of_type[i]);
  dmd_pool_t *pools[] = {&o->mappings, &o->locations,   &o->functions, &o->attributes,
                         &o->stacks,   &o->location_of, &o->stack_of};
  for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
    dmd_pool_destroy(pools[i]);
  dmd_intern_destroy(&o->attribute_keys);
  dmd_intern_destroy(&o->object_keys);
  dmd_intern_destroy(&o->function_keys);
  dmd_intern_destroy(&o->strings);
}

const char *dmdv_export_otlp(const dmd_profile_t *profile, dmd_out_t *out,
                             const dmd_export_options_t *options) {
  const dmd_export_options_t no_labels = {.section = DMD_SECTION_ALL};
  otlp_t o = {.profile = profile};
  profiles_t profiles;
  begin(&o);
  dmd_samples_init(&o.samples, profile);
  dmd_samples_visit(&o.samples, &no_labels, add_sample, &o);
  make_resource(&o, options);
  make_profiles(&o, &profiles);
  write_message(&o, &profiles, out);
  for (size_t i = 0; i < profiles.n; i++)
    dmd_env_free(&dmdv_env, profiles.profiles[i].samples);
  dmd_samples_destroy(&o.samples);
  end(&o);
  return NULL;
}

bool dmdv_otlp_accepted(const char *answer, size_t n, dmd_strbuf_t *why) {
  Dmd__Otlp__Answer *message = dmd__otlp__answer__unpack(NULL, n, (const uint8_t *)answer);
  const Dmd__Otlp__PartialSuccess *partial = message != NULL ? message->partial_success : NULL;
  bool accepted = partial == NULL || partial->rejected_profiles <= 0;
  if (!accepted) {
    dmd_strbuf_str(why, "the collector rejected ");
    dmd_strbuf_i64(why, partial->rejected_profiles);
    dmd_strbuf_str(why, " profiles: ");
    dmd_strbuf_str(why, partial->error_message);
  }
  dmd__otlp__answer__free_unpacked(message, NULL);
  return accepted;
}
