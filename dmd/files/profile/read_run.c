/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the keys that dmd adds to DMD's format: how the data was recorded, and the faults found.
 */
#include "base/format.h"
#include "base/limits.h"
#include "files/profile/readerstate.h"

#include "base/str.h"

#include <stddef.h>

static void load_totals(dmd_readerstate_t *l, const dmd_jsonvalue_t *totals) {
  for (size_t i = 0; i < DMD_N_TOTAL_FIELDS; i++)
    *dmd_metric_at(&dmd_total_fields[i], &l->profile->run) =
        dmd_load_get_count(l, totals, dmd_total_fields[i].key);
}

static dmd_moment_t moment_of(dmd_readerstate_t *l, const dmd_jsonvalue_t *peak) {
  return (dmd_moment_t){.is_known = dmd_jsonvalue_get(peak, "bytes") != NULL,
                        .szB = dmd_load_get_number(l, peak, "bytes", 0),
                        .n_blocks = dmd_load_get_number(l, peak, "blocks", 0),
                        .ms = dmd_load_get_number(l, peak, "milliseconds", 0),
                        .alloc_szB = dmd_load_get_number(l, peak, "allocated", 0),
                        .n_instructions = dmd_load_get_number(l, peak, "instructions", 0),
                        .error_szB = dmd_load_get_number(l, peak, "error", 0)};
}

static void load_peak(dmd_readerstate_t *l, const dmd_jsonvalue_t *peak) {
  l->profile->run.peak = moment_of(l, peak);
}

static void load_recent_peak(dmd_readerstate_t *l, const dmd_jsonvalue_t *peak) {
  l->profile->run.recent_peak = moment_of(l, peak);
}

/* Whether the text has the characters of a time in ISO 8601 format, and fits into a dmd_attach_t.
 */
static bool is_time(const char *text) {
  size_t n = 0;
  while (text[n] != '\0' && dmd_str_find_char("0123456789-:TZ", text[n]) != NULL)
    n++;
  return n > 0 && n < DMD_TIME_SZB && text[n] == '\0';
}

static void load_attach(dmd_readerstate_t *l, const dmd_jsonvalue_t *object) {
  dmd_attach_t *attach = &l->profile->run.attach;
  const char *time = dmd_load_get_string(l, object, "time");
  if (time == NULL || !is_time(time)) {
    dmd_jsoncutter_reject(&l->cutter, "\"attached\" has no \"time\" as ISO 8601 has it");
    return;
  }
  dmd_format_str(attach->time, time);
  attach->older_blocks = dmd_load_get_number(l, object, "olderBlocks", DMD_MEMORY_UNKNOWN);
  attach->older_szB = dmd_load_get_number(l, object, "olderBytes", DMD_MEMORY_UNKNOWN);
}

static void load_field(dmd_readerstate_t *l, const dmd_jsonvalue_t *item,
                       const dmd_fault_field_t *field, dmd_fault_t *fault) {
  switch (field->kind) {
  case DMD_FIELD_STACK:
    *dmd_fault_id(field, fault) = dmd_load_get_trace(l, item, field->key);
    break;
  case DMD_FIELD_NAME:
    *dmd_fault_id(field, fault) = dmd_load_get_name(l, item, field->key);
    break;
  case DMD_FIELD_NUMBER:
    *dmd_fault_number(field, fault) = dmd_load_get_count(l, item, field->key);
    break;
  }
}

/* Names of reporters or scopes that a fault is about. "names" is at least the number listed. */
static void load_names(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, dmd_fault_t *fault) {
  const dmd_jsonvalue_t *list = dmd_jsonvalue_get(item, "someNames");
  uint64_t n = dmd_load_get_count(l, item, "names");
  bool good = list == NULL || (dmd_jsonvalue_is(list, DMD_JSONVALUE_ARRAY) &&
                               dmd_jsonvalue_count(list) <= DMD_FAULT_NAMES);
  const dmd_jsonvalue_t *name = good && list != NULL ? list->child : NULL;
  for (; name != NULL && (good = dmd_jsonvalue_is(name, DMD_JSONVALUE_STRING)); name = name->next)
    dmd_fault_add_name(fault, dmd_intern_str(&l->profile->names, name->string));
  if (!good) {
    dmd_jsoncutter_reject(&l->cutter, "\"someNames\" is not a list of up to 8 names");
    return;
  }
  if (n > UINT32_MAX || fault->n_names != (n < DMD_FAULT_NAMES ? n : DMD_FAULT_NAMES))
    dmd_jsoncutter_reject(&l->cutter,
                          "\"names\" is not the number of names that \"someNames\" begins");
  fault->n_names = (uint32_t)n;
}

static void load_fault(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  const char *kind = dmd_load_get_string(l, item, "kind");
  /* A kind from a later dmd is ignored. */
  if (kind == NULL || dmd_fault_kind_of(kind) == DMD_N_FAULTS)
    return;
  const char *reason = dmd_load_get_string(l, item, "reason");
  dmd_fault_t fault = {.num = dmd_load_get_times(l, item, "num"),
                       .kind = dmd_fault_kind_of(kind),
                       .reason = reason != NULL ? dmd_reason_of(reason) : DMD_REASON_NONE,
                       .bytes = dmd_load_get_count(l, item, "bytes")};
  for (uint32_t i = 0; i < DMD_N_FAULT_FIELDS; i++)
    load_field(l, item, &dmd_fault_fields[i], &fault);
  load_names(l, item, &fault);
  l->faults += fault.num;
  if (l->faults > (uint64_t)DMD_LOAD_MAX_NUMBER)
    dmd_jsoncutter_reject(&l->cutter, "more than " DMD_MAX_COUNT_TEXT " faults");
  else
    dmd_faults_add(&l->collected_faults, &fault);
}

/* A hint of a kind from a later dmd is ignored. */
static void load_hint(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  const char *alloc = dmd_load_get_string(l, item, "alloc"),
             *stack = dmd_load_get_string(l, item, "at");
  const char *kind = dmd_load_get_string(l, item, "held"),
             *reporter = dmd_load_get_string(l, item, "reporter");
  uint64_t offset = dmd_load_get_number(l, item, "offset", DMD_OFFSET_ANY);
  dmd_hint_t hint = {.blocks = dmd_load_get_number(l, item, "blocks", 0),
                     .bytes = dmd_load_get_number(l, item, "bytes", 0),
                     .pointed = dmd_load_get_number(l, item, "pointed", 0),
                     .referrers = dmd_load_get_number(l, item, "holders", 0),
                     .referrers_alike = dmd_load_get_number(l, item, "holdersAlike", 0),
                     .before = dmd_load_get_number(l, item, "before", 0),
                     .offset = offset < DMD_OFFSET_ANY ? (uint32_t)offset : DMD_OFFSET_ANY};
  while (kind != NULL && hint.referrer_kind < DMD_N_REFERRER_KINDS &&
         !dmd_str_equal(kind, dmd_referrer_kind_name(hint.referrer_kind)))
    hint.referrer_kind++;
  if (kind == NULL || hint.referrer_kind == DMD_N_REFERRER_KINDS || stack == NULL)
    return;
  if (hint.pointed > hint.blocks || hint.referrers > hint.referrers_alike) {
    dmd_jsoncutter_reject(&l->cutter,
                          "an element of \"advice\" has more \"pointed\" than \"blocks\", "
                          "or more \"holders\" than \"holdersAlike\"");
    return;
  }
  l->advised += hint.bytes;
  l->advised_blocks += hint.blocks + hint.referrers_alike;
  if (l->advised > (uint64_t)DMD_LOAD_MAX_NUMBER ||
      l->advised_blocks > (uint64_t)DMD_LOAD_MAX_NUMBER) {
    dmd_jsoncutter_reject(&l->cutter,
                          "elements of \"advice\" add up to more than " DMD_MAX_COUNT_TEXT
                          " bytes or blocks");
    return;
  }
  hint.stack = dmd_ids_number(&l->traces, dmd_span_of(stack));
  if (alloc != NULL)
    hint.alloc = dmd_ids_number(&l->traces, dmd_span_of(alloc));
  if (reporter != NULL)
    hint.reporter = dmd_intern_str(&l->profile->names, reporter);
  dmd_hints_add(&l->collected_hints, &hint);
}

static void load_partial_hint(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  l->profile->run.partial_hint = dmd_jsonvalue_is(item, DMD_JSONVALUE_TRUE);
}

/* How often a reporter ran. */
static void load_reporter_run(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  uint32_t reporter = dmd_load_get_name(l, item, "reporter");
  uint64_t runs = dmd_load_get_number(l, item, "runs", 0);
  if (reporter == DMD_NONE)
    return;
  l->runs += runs;
  if (l->runs > (uint64_t)DMD_LOAD_MAX_NUMBER)
    dmd_jsoncutter_reject(&l->cutter, "reporters ran more than " DMD_MAX_COUNT_TEXT " times");
  else
    dmd_reporter_runs_add(&l->profile->reporter_runs, reporter, runs);
}

static void load_footprint(dmd_readerstate_t *l, const dmd_jsonvalue_t *object,
                           dmd_footprint_t *memory) {
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    *dmd_metric_at(&dmd_memory_fields[i], memory) =
        dmd_load_get_number(l, object, dmd_memory_fields[i].key, DMD_MEMORY_UNKNOWN);
}

static void load_memory(dmd_readerstate_t *l, const dmd_jsonvalue_t *object) {
  load_footprint(l, object, &l->profile->memory);
}

/* A process that a merged profile keeps separate. If one comes twice, the first counts. */
static void load_process(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  const char *name = dmd_load_get_string(l, item, "process");
  dmd_footprint_t memory;
  if (name == NULL)
    return;
  load_footprint(l, dmd_jsonvalue_get(item, "memory"), &memory);
  if (dmd_intern_find_str(&l->profile->processes, name) == DMD_NONE)
    dmd_profile_add_process(l->profile, name, &memory);
}

/* The index of the string among n names; n if it is not there. */
static uint32_t index_of(const char *s, const char *(*name)(uint32_t i), uint32_t n) {
  uint32_t i = 0;
  while (s != NULL && i < n && !dmd_str_equal(s, name(i)))
    i++;
  return s == NULL ? n : i;
}

static const char *kind_name(uint32_t i) {
  return dmd_memreport_kind_name(i);
}

static const char *units_name(uint32_t i) {
  return dmd_memreport_units_name(i);
}

/* One of the program's memory reports. */
static void load_memreport(dmd_readerstate_t *l, const dmd_jsonvalue_t *report) {
  const char *kind = dmd_load_get_string(l, report, "kind"),
             *units = dmd_load_get_string(l, report, "units");
  const dmd_jsonvalue_t *amount = dmd_jsonvalue_get(report, "amount");
  dmd_memreport_t value = {
      .process = dmd_load_get_string(l, report, "process"),
      .path = dmd_load_get_string(l, report, "path"),
      .description = dmd_load_get_string(l, report, "description"),
      .times = dmd_load_get_times(l, report, "times"),
      .kind = index_of(kind, kind_name, DMD_MEMREPORT_N_KINDS),
      .units = index_of(units, units_name, DMD_MEMREPORT_N_UNITS),
  };
  if (value.path == NULL || value.path[0] == '\0' || kind == NULL || units == NULL) {
    dmd_jsoncutter_reject(&l->cutter, "a memory report has no \"path\", \"kind\" or \"units\"");
    return;
  }
  double v =
      dmd_jsonvalue_is(amount, DMD_JSONVALUE_NUMBER) ? amount->number : 2 * DMD_LOAD_MAX_NUMBER;
  if (v < -DMD_LOAD_MAX_NUMBER || v > DMD_LOAD_MAX_NUMBER || v != (double)(int64_t)v) {
    dmd_jsoncutter_reject(
        &l->cutter,
        "a memory report's \"amount\" is not a whole number within " DMD_MAX_COUNT_TEXT);
    return;
  }
  value.amount = (int64_t)v;
  /* A kind or units from a later dmd. */
  if (value.kind == DMD_MEMREPORT_N_KINDS || value.units == DMD_MEMREPORT_N_UNITS)
    return;
  if (!dmd_memreports_add(&l->profile->memreports, &value))
    dmd_jsoncutter_reject(&l->cutter, "more than %d memory reports, or %d bytes of their strings",
                          DMD_MAX_MEMORY_REPORTS, DMD_MAX_MEMORY_REPORT_TEXT);
}

/* Memory that the program mapped. */
static void load_mapped(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  dmd_mapped_entry_t entry = {.szB = dmd_load_get_number(l, item, "bytes", 0),
                              .num = dmd_load_get_times(l, item, "num"),
                              .stack = dmd_load_get_trace(l, item, "alloc"),
                              .reporter = dmd_load_get_name(l, item, "reporter")};
  entry.is_reported = dmd_jsonvalue_is(dmd_jsonvalue_get(item, "reported"), DMD_JSONVALUE_TRUE);
  entry.is_stack = dmd_jsonvalue_is(dmd_jsonvalue_get(item, "stack"), DMD_JSONVALUE_TRUE);
  l->mapped += entry.szB;
  l->mapped_ranges += entry.num;
  if (l->mapped > DMD_MAX_COUNT || l->mapped_ranges > DMD_MAX_COUNT)
    dmd_jsoncutter_reject(&l->cutter,
                          "\"mapped\" has more than " DMD_MAX_COUNT_TEXT " bytes or ranges");
  else
    dmd_mapped_add(&l->collected_mapped, &entry);
}

/* ---- The members. ---- */

static void load_argument(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_STRING))
    dmd_profile_add_argument(l->profile, item->string);
  else
    dmd_jsoncutter_reject(&l->cutter, "\"argv\" holds something that is not a string");
}

static void load_stacks(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  const char *stacks = dmd_load_string_in(l, item, "stacks");
  l->profile->run.partial_stacks = stacks != NULL && dmd_str_equal(stacks, "partial");
}

static void load_time_unit(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  const char *unit = dmd_load_string_in(l, item, "timeUnit");
  l->profile->run.counts_instructions = unit != NULL && dmd_str_equal(unit, "instructions");
  if (unit != NULL && !l->profile->run.counts_instructions)
    dmd_jsoncutter_reject(&l->cutter, "\"timeUnit\" is not \"instructions\"");
}

static void load_sample_interval(dmd_readerstate_t *l, const dmd_jsonvalue_t *item) {
  uint64_t interval = dmd_load_number_in(l, item, "sampleInterval", 0);
  if (interval > DMD_MAX_SAMPLE_INTERVAL)
    dmd_jsoncutter_reject(&l->cutter, "\"sampleInterval\" is more than 1 GiB");
  else
    l->profile->run.sample_interval = interval;
}

typedef struct {
  const char *key;
  enum { TEXT, NUMBER, COUNT, VALUE, LIST, TABLE } form;
  size_t offset; /* in dmd_run_t: of a text, number or count */
  void (*load)(dmd_readerstate_t *l,
               const dmd_jsonvalue_t *item); /* reads a value, or each element of a list */
  void (*read)(dmd_readerstate_t *l);        /* reads a whole table */
} member_t;

static const member_t members[] = {
    {"version", TEXT, offsetof(dmd_run_t, version), NULL, NULL},
    {"valgrindVersion", TEXT, offsetof(dmd_run_t, valgrind_version), NULL, NULL},
    {"command", TEXT, offsetof(dmd_run_t, command), NULL, NULL},
    {"argv", LIST, 0, load_argument, NULL},
    {"folder", TEXT, offsetof(dmd_run_t, folder), NULL, NULL},
    {"host", TEXT, offsetof(dmd_run_t, host), NULL, NULL},
    {"time", TEXT, offsetof(dmd_run_t, time), NULL, NULL},
    {"label", TEXT, offsetof(dmd_run_t, label), NULL, NULL},
    {"trigger", TEXT, offsetof(dmd_run_t, trigger), NULL, NULL},
    {"allocator", TEXT, offsetof(dmd_run_t, allocator), NULL, NULL},
    {"allocatorChosen", TEXT, offsetof(dmd_run_t, allocator_chosen), NULL, NULL},
    {"replacedNew", TEXT, offsetof(dmd_run_t, replaced_new), NULL, NULL},
    {"attached", VALUE, 0, load_attach, NULL},
    {"pid", NUMBER, offsetof(dmd_run_t, pid), NULL, NULL},
    {"dump", NUMBER, offsetof(dmd_run_t, dump_number), NULL, NULL},
    {"wordSize", NUMBER, offsetof(dmd_run_t, word_szB), NULL, NULL},
    {"stacks", VALUE, 0, load_stacks, NULL},
    {"sampleBelow", NUMBER, offsetof(dmd_run_t, sample_below), NULL, NULL},
    {"sampleInterval", VALUE, 0, load_sample_interval, NULL},
    {"seed", COUNT, offsetof(dmd_run_t, seed), NULL, NULL},
    {"totals", VALUE, 0, load_totals, NULL},
    {"residentPeak", NUMBER, offsetof(dmd_run_t, most_resident_szB), NULL, NULL},
    {"timeUnit", VALUE, 0, load_time_unit, NULL},
    {"peak", VALUE, 0, load_peak, NULL},
    {"recentPeak", VALUE, 0, load_recent_peak, NULL},
    {"faults", LIST, 0, load_fault, NULL},
    {"advice", LIST, 0, load_hint, NULL},
    {"partialAdvice", VALUE, 0, load_partial_hint, NULL},
    {"reporterRuns", LIST, 0, load_reporter_run, NULL},
    {"memory", VALUE, 0, load_memory, NULL},
    {"processes", LIST, 0, load_process, NULL},
    {"memoryReports", LIST, 0, load_memreport, NULL},
    {"mapped", LIST, 0, load_mapped, NULL},
    {"objects", TABLE, 0, NULL, dmd_load_objects},
    {"functions", TABLE, 0, NULL, dmd_load_functions},
    {"timeline", TABLE, 0, NULL, dmd_load_timeline},
};
enum { N_MEMBERS = sizeof members / sizeof members[0] };

static void load_list(dmd_readerstate_t *l, const member_t *member) {
  if (!dmd_jsoncutter_begins(&l->cutter, '[')) {
    dmd_jsoncutter_value(&l->cutter);
    dmd_jsoncutter_reject(&l->cutter, "\"%s\" is not an array", member->key);
    return;
  }
  dmd_jsoncutter_enter(&l->cutter, '[');
  while (dmd_jsoncutter_next_element(&l->cutter)) {
    const dmd_jsonvalue_t *item = dmd_jsoncutter_value(&l->cutter);
    if (item != NULL)
      member->load(l, item);
  }
}

static void load_value(dmd_readerstate_t *l, const member_t *member) {
  const dmd_jsonvalue_t *item = dmd_jsoncutter_value(&l->cutter);
  void *to = (char *)&l->profile->run + member->offset;
  if (item == NULL)
    return;
  if (member->form == TEXT)
    *(const char **)to = dmd_profile_keep(l->profile, dmd_load_string_in(l, item, member->key));
  else if (member->form == NUMBER)
    *(uint64_t *)to = dmd_load_number_in(l, item, member->key, 0);
  else if (member->form == COUNT)
    *(uint64_t *)to = dmd_load_count_in(l, item, member->key);
  else
    member->load(l, item);
}

/* If a key comes twice, the first counts. */
static void load_member(dmd_readerstate_t *l, const char *key, uint64_t *seen) {
  int i = 0;
  while (i < N_MEMBERS && (!dmd_str_equal(key, members[i].key) || *seen & UINT64_C(1) << i))
    i++;
  if (i == N_MEMBERS) {
    dmd_jsoncutter_skip(&l->cutter);
    return;
  }
  *seen |= UINT64_C(1) << i;
  if (members[i].form == TABLE)
    members[i].read(l);
  else if (members[i].form == LIST)
    load_list(l, &members[i]);
  else
    load_value(l, &members[i]);
}

/* Reads "dmd". */
bool dmd_load_run(void *ctx) {
  dmd_readerstate_t *l = ctx;
  l->profile->run.is_known = true;
  l->profile->run.word_szB = 8;
  if (!dmd_jsoncutter_begins(&l->cutter, '{')) {
    dmd_jsoncutter_value(&l->cutter);
    return !dmd_jsoncutter_failed(&l->cutter);
  }
  const char *key;
  uint64_t seen = 0;
  dmd_jsoncutter_enter(&l->cutter, '{');
  while (dmd_jsoncutter_next_key(&l->cutter, &key))
    load_member(l, key, &seen);
  return !dmd_jsoncutter_failed(&l->cutter);
}
