/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/historyreader.h"

#include "analyse/records/record.h"
#include "base/strbuf.h"
#include "files/profile/jsondocument.h"
#include "files/profile/jsonvalue.h"

typedef struct {
  dmd_jsoncutter_t cutter;
  const dmd_history_taker_t *taker;
  void *ctx;
  /* Items read so far; has_all: the array was read completely. */
  struct {
    uint32_t n;
    bool has_all;
  } environments, builds, stacks, runs, series;
  dmd_strbuf_t frames;    /* of one stack */
  dmd_stackset_t records; /* of one run */
  size_t room;            /* of `records` */
} history_t;

/* ---- Values. ---- */

static bool reject(history_t *h, const char *why) {
  return why == NULL || dmd_jsoncutter_reject(&h->cutter, "%s", why);
}

/* A signed 64-bit whole number. */
static bool take_signed(const dmd_jsonvalue_t *value, int64_t *number) {
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_NUMBER) ||
      !(value->has_whole || value->has_negative) ||
      value->whole > (uint64_t)INT64_MAX + value->has_negative)
    return false;
  *number = value->has_negative ? (int64_t)(0 - value->whole) : (int64_t)value->whole;
  return true;
}

/* The number of one of the n items read so far. */
static bool take_index(const dmd_jsonvalue_t *value, uint32_t n, uint32_t *index) {
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_NUMBER) || !value->has_whole || value->whole >= n)
    return false;
  *index = (uint32_t)value->whole;
  return true;
}

static uint32_t get_index(history_t *h, const dmd_jsonvalue_t *object, const char *key,
                          uint32_t n) {
  uint32_t index = 0;
  if (!take_index(dmd_jsonvalue_get(object, key), n, &index))
    dmd_jsoncutter_reject(&h->cutter, "\"%s\" is not the number of an item that came before", key);
  return index;
}

static bool is_short(history_t *h, const char *text, const char *what, size_t most) {
  return dmd_str_length(text) <= most ||
         dmd_jsoncutter_reject(&h->cutter, "\"%s\" is too long: at most %u bytes", what,
                               (unsigned)most);
}

/* A name of at most `most` bytes. */
static const char *get_text(history_t *h, const dmd_jsonvalue_t *object, const char *key,
                            size_t most) {
  const dmd_jsonvalue_t *text = dmd_jsonvalue_get(object, key);
  if (!dmd_jsonvalue_is(text, DMD_JSONVALUE_STRING)) {
    dmd_jsoncutter_reject(&h->cutter, "\"%s\" is not a string", key);
    return "";
  }
  return is_short(h, text->string, key, most) ? text->string : "";
}

static const char *get_name(history_t *h, const dmd_jsonvalue_t *object, const char *key) {
  return get_text(h, object, key, DMD_HISTORY_MAX_NAME);
}

/* Loads an array and counts its elements in *n; false after an error. */
static bool load_list(history_t *h, uint32_t *n, bool (*load)(history_t *h)) {
  dmd_jsoncutter_enter(&h->cutter, '[');
  while (dmd_jsoncutter_next_element(&h->cutter)) {
    if (*n == UINT32_MAX)
      return dmd_jsoncutter_reject(&h->cutter, "there are too many of these");
    if (load(h))
      (*n)++;
  }
  return !dmd_jsoncutter_failed(&h->cutter);
}

/* The next element, which must be an object. */
static const dmd_jsonvalue_t *take_object(history_t *h) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&h->cutter);
  if (value == NULL || dmd_jsonvalue_is(value, DMD_JSONVALUE_OBJECT))
    return value;
  dmd_jsoncutter_reject(&h->cutter, "this is not an object");
  return NULL;
}

/* ---- Items that others refer to. ---- */

static bool load_environment(history_t *h) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&h->cutter);
  if (value == NULL)
    return false;
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_STRING))
    return dmd_jsoncutter_reject(&h->cutter, "an environment is not a string");
  return is_short(h, value->string, "environments", DMD_HISTORY_MAX_ENVIRONMENT) &&
         reject(h, h->taker->environment(h->ctx, value->string));
}

static bool load_build(history_t *h) {
  const dmd_jsonvalue_t *value = take_object(h);
  if (value == NULL)
    return false;
  dmd_history_item_build_t build = {.name = get_name(h, value, "build"),
                                    .branch = get_name(h, value, "branch")};
  if (!take_signed(dmd_jsonvalue_get(value, "time"), &build.time))
    dmd_jsoncutter_reject(&h->cutter, "\"time\" is not a whole number of seconds since 1970");
  return !dmd_jsoncutter_failed(&h->cutter) && reject(h, h->taker->build(h->ctx, &build));
}

static bool load_stack(history_t *h) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&h->cutter);
  if (value == NULL)
    return false;
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_ARRAY) ||
      dmd_jsonvalue_count(value) > DMD_HISTORY_MAX_FRAMES)
    return dmd_jsoncutter_reject(&h->cutter, "a stack is not an array of at most %d frames",
                                 DMD_HISTORY_MAX_FRAMES);
  dmd_strbuf_cut(&h->frames, 0);
  DMD_JSONVALUE_EACH(frame, value) {
    if (!dmd_jsonvalue_is(frame, DMD_JSONVALUE_STRING))
      return dmd_jsoncutter_reject(&h->cutter, "a frame is not a string");
    for (const char *c = frame->string; *c != '\0'; c++)
      if (*c == '\n')
        return dmd_jsoncutter_reject(&h->cutter, "a frame has more than one line");
    dmd_strbuf_str(&h->frames, frame->string);
    dmd_strbuf_str(&h->frames, "\n");
  }
  return reject(h, h->taker->stack(h->ctx, h->frames.text == NULL ? "" : h->frames.text));
}

/* ---- Runs. ---- */

static bool take_digest(const dmd_jsonvalue_t *value,
                        unsigned char digest[DMD_HISTORY_DIGEST_SZB]) {
  enum { HALF = DMD_HISTORY_DIGEST_SZB };
  uint64_t halves[2];
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_STRING) ||
      dmd_str_length(value->string) != 2 * DMD_HISTORY_DIGEST_SZB)
    return false;
  for (int i = 0; i < 2; i++)
    if (!dmd_span_hex((dmd_span_t){value->string + (size_t)i * HALF, HALF}, &halves[i]))
      return false;
  for (int i = 0; i < DMD_HISTORY_DIGEST_SZB; i++)
    digest[i] = (unsigned char)(halves[i / 8] >> (8 * (7 - i % 8)));
  return true;
}

static bool load_run(history_t *h) {
  const dmd_jsonvalue_t *value = take_object(h);
  if (value == NULL)
    return false;
  dmd_history_item_run_t run = {.build = get_index(h, value, "build", h->builds.n),
                                .environment =
                                    get_index(h, value, "environment", h->environments.n),
                                .moment = get_name(h, value, "moment"),
                                .process = get_name(h, value, "process"),
                                .launch = get_name(h, value, "run")};
  if (!take_digest(dmd_jsonvalue_get(value, "digest"), run.digest))
    dmd_jsoncutter_reject(&h->cutter, "\"digest\" is not a string of 32 hexadecimal digits");
  return !dmd_jsoncutter_failed(&h->cutter) && reject(h, h->taker->run(h->ctx, &run));
}

static dmd_stack_record_t *next_record(history_t *h) {
  if (h->records.n == h->room) {
    dmd_stackset_t larger;
    h->room = 2 * h->room + 64;
    dmd_stackset_init(&larger, h->cutter.env, h->room);
    dmd_mem_copy(larger.records, h->records.records, h->records.n * sizeof *larger.records);
    larger.n = h->records.n;
    dmd_stackset_destroy(&h->records);
    h->records = larger;
  }
  return &h->records.records[h->records.n++];
}

/* [stack, section, bytes, blocks] */
static bool load_record(history_t *h) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&h->cutter), *part[4];
  if (value == NULL)
    return false;
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_ARRAY) || dmd_jsonvalue_count(value) != 4)
    return dmd_jsoncutter_reject(&h->cutter, "a record is not an array of four numbers");
  for (int i = 0; i < 4; i++)
    part[i] = i == 0 ? value->child : part[i - 1]->next;
  dmd_stack_record_t record = {.stack = 0};
  uint32_t stack;
  if (!take_index(part[0], h->stacks.n, &stack))
    return dmd_jsoncutter_reject(&h->cutter, "a record's stack does not refer to an earlier item");
  if (!take_index(part[1], DMD_N_SECTIONS, &record.section))
    return dmd_jsoncutter_reject(&h->cutter, "a record's section is not below %d", DMD_N_SECTIONS);
  if (!take_signed(part[2], &record.bytes) || !take_signed(part[3], &record.blocks))
    return dmd_jsoncutter_reject(&h->cutter,
                                 "a record's bytes or blocks are not a whole number of 64 "
                                 "bits");
  record.stack = stack;
  *next_record(h) = record;
  return true;
}

/* ---- Series. ---- */

/* [run, value]; *next is the lowest number that the run may have. */
static bool load_value(history_t *h, uint32_t *next) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&h->cutter);
  uint32_t run;
  int64_t number;
  if (value == NULL)
    return false;
  if (!dmd_jsonvalue_is(value, DMD_JSONVALUE_ARRAY) || dmd_jsonvalue_count(value) != 2 ||
      !take_index(value->child, h->runs.n, &run) || !take_signed(value->child->next, &number))
    return dmd_jsoncutter_reject(&h->cutter, "a value is not [RUN, NUMBER] with an earlier run");
  if (run < *next)
    return dmd_jsoncutter_reject(&h->cutter, "a series' runs do not ascend");
  *next = run + 1;
  return reject(h, h->taker->value(h->ctx, run, number));
}

/* The kind and the name come before the values. */
typedef struct {
  dmd_strbuf_t kind, name;
  bool has_kind, has_name, has_values;
} head_t;

static bool take_head(history_t *h, dmd_strbuf_t *text, bool *has, const char *key) {
  const dmd_jsonvalue_t *value = dmd_jsoncutter_value(&h->cutter);
  if (value == NULL)
    return false;
  if (*has || !dmd_jsonvalue_is(value, DMD_JSONVALUE_STRING))
    return dmd_jsoncutter_reject(&h->cutter, "\"%s\" %s", key,
                                 *has ? "comes twice" : "is not a string");
  *has = is_short(h, value->string, key, DMD_HISTORY_MAX_NAME);
  dmd_strbuf_str(text, value->string);
  return *has;
}

static bool load_values(history_t *h, head_t *head) {
  uint32_t next = 0;
  if (head->has_values || !head->has_kind || !head->has_name)
    return dmd_jsoncutter_reject(&h->cutter, "\"values\" of a series %s",
                                 head->has_values ? "come twice" : "come before its kind and name");
  head->has_values = true;
  if (!reject(h, h->taker->series(h->ctx, head->kind.text, head->name.text)))
    return false;
  dmd_jsoncutter_enter(&h->cutter, '[');
  while (dmd_jsoncutter_next_element(&h->cutter))
    load_value(h, &next);
  return !dmd_jsoncutter_failed(&h->cutter);
}

static bool load_series_item(history_t *h) {
  head_t head = {.has_kind = false};
  const char *key;
  dmd_strbuf_init(&head.kind, h->cutter.env);
  dmd_strbuf_init(&head.name, h->cutter.env);
  dmd_strbuf_str(&head.kind, "");
  dmd_strbuf_str(&head.name, "");
  dmd_jsoncutter_enter(&h->cutter, '{');
  while (dmd_jsoncutter_next_key(&h->cutter, &key)) {
    if (dmd_str_equal(key, "kind"))
      take_head(h, &head.kind, &head.has_kind, "kind");
    else if (dmd_str_equal(key, "name"))
      take_head(h, &head.name, &head.has_name, "name");
    else if (dmd_str_equal(key, "values"))
      load_values(h, &head);
    else
      dmd_jsoncutter_skip(&h->cutter);
  }
  if (!dmd_jsoncutter_failed(&h->cutter) && !head.has_values)
    dmd_jsoncutter_reject(&h->cutter, "a series has no \"values\"");
  dmd_strbuf_destroy(&head.name);
  dmd_strbuf_destroy(&head.kind);
  return !dmd_jsoncutter_failed(&h->cutter);
}

static bool load_alarm(history_t *h) {
  const dmd_jsonvalue_t *value = take_object(h);
  if (value == NULL)
    return false;
  const dmd_history_item_alarm_t alarm = {.series = get_index(h, value, "series", h->series.n),
                                          .build = get_index(h, value, "build", h->builds.n),
                                          .environment =
                                              get_index(h, value, "environment", h->environments.n),
                                          .process = get_name(h, value, "process"),
                                          .moment = get_name(h, value, "moment"),
                                          .state = get_name(h, value, "state"),
                                          .reason = get_text(h, value, "reason", SIZE_MAX)};
  return !dmd_jsoncutter_failed(&h->cutter) && reject(h, h->taker->alarm(h->ctx, &alarm));
}

/* ---- Parts of the document. ---- */

/* Checks that the items that a part refers to have come. */
static bool needs(history_t *h, bool has_come, const char *part, const char *before) {
  return has_come || dmd_jsoncutter_reject(&h->cutter, "\"%s\" comes before \"%s\"", part, before);
}

static bool load_environments(void *ctx) {
  history_t *h = ctx;
  h->environments.has_all = true;
  return load_list(h, &h->environments.n, load_environment);
}

static bool load_builds(void *ctx) {
  history_t *h = ctx;
  h->builds.has_all = true;
  return load_list(h, &h->builds.n, load_build);
}

static bool load_stacks(void *ctx) {
  history_t *h = ctx;
  h->stacks.has_all = true;
  return load_list(h, &h->stacks.n, load_stack);
}

static bool load_runs(void *ctx) {
  history_t *h = ctx;
  h->runs.has_all = true;
  return needs(h, h->environments.has_all, "runs", "environments") &&
         needs(h, h->builds.has_all, "runs", "builds") && load_list(h, &h->runs.n, load_run);
}

static bool load_records(void *ctx) {
  history_t *h = ctx;
  uint32_t run = 0, n;
  if (!needs(h, h->stacks.has_all, "records", "stacks") ||
      !needs(h, h->runs.has_all, "records", "runs"))
    return false;
  dmd_jsoncutter_enter(&h->cutter, '[');
  while (dmd_jsoncutter_next_element(&h->cutter)) {
    h->records.n = n = 0;
    if (run == h->runs.n)
      return dmd_jsoncutter_reject(&h->cutter, "more runs have records than there are runs");
    if (load_list(h, &n, load_record))
      reject(h, h->taker->records(h->ctx, run++, h->records.records, h->records.n));
  }
  return !dmd_jsoncutter_failed(&h->cutter) &&
         (run == h->runs.n ||
          dmd_jsoncutter_reject(&h->cutter, "the records of a run are missing"));
}

static bool load_series(void *ctx) {
  history_t *h = ctx;
  h->series.has_all = true;
  return needs(h, h->runs.has_all, "series", "runs") &&
         load_list(h, &h->series.n, load_series_item);
}

static bool load_alarms(void *ctx) {
  history_t *h = ctx;
  uint32_t n = 0;
  return needs(h, h->series.has_all, "alarms", "series") && load_list(h, &n, load_alarm);
}

bool dmd_load_history(const dmd_history_taker_t *taker, void *ctx, const dmd_env_t *env,
                      const dmd_source_t *source, dmd_fail_t *fail) {
  static const dmd_jsondocument_part_t parts[] = {{"environments", load_environments, true},
                                                  {"builds", load_builds, true},
                                                  {"stacks", load_stacks, true},
                                                  {"runs", load_runs, true},
                                                  {"records", load_records, true},
                                                  {"series", load_series, true},
                                                  {"alarms", load_alarms, true}};
  static const dmd_jsondocument_format_t format = {
      1, "\"version\" is not 1: a newer dmdv wrote this history, or it is another file", parts,
      sizeof parts / sizeof *parts};
  static const dmd_jsondocument_format_t *const formats[] = {&format};
  history_t h = {.taker = taker, .ctx = ctx};
  dmd_jsoncutter_init(&h.cutter, env, source);
  dmd_strbuf_init(&h.frames, env);
  dmd_stackset_init(&h.records, env, 0);
  bool good = dmd_jsondocument_load(&h.cutter, formats, 1, "is not a history", &h) != NULL;
  *fail = h.cutter.fail;
  dmd_stackset_destroy(&h.records);
  dmd_strbuf_destroy(&h.frames);
  dmd_jsoncutter_destroy(&h.cutter);
  return good;
}
