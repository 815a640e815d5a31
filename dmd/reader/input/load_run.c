/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The keys that dmd adds to DMD's format: how the data came about, and what was wrong.
 */
#include "reader/input/loader.h"

#include <string.h>

static void load_totals(dmdv_loader_t *l, const cJSON *totals) {
  dmd_run_t *run = &l->profile->run;
  run->n_allocs = dmdv_load_get_count(l, totals, "allocs");
  run->n_frees = dmdv_load_get_count(l, totals, "frees");
  run->alloc_szB = dmdv_load_get_count(l, totals, "allocBytes");
  run->in_use_szB = dmdv_load_get_count(l, totals, "inUseBytes");
  run->in_use_blocks = dmdv_load_get_count(l, totals, "inUseBlocks");
  run->freed_reported = dmdv_load_get_count(l, totals, "freedReported");
}

static void load_field(dmdv_loader_t *l, const cJSON *item, const dmd_fault_field_t *field,
                       dmd_fault_t *fault) {
  switch (field->kind) {
  case DMD_FIELD_STACK:
    *dmd_fault_id(field, fault) = dmdv_load_get_trace(l, item, field->key);
    break;
  case DMD_FIELD_NAME:
    *dmd_fault_id(field, fault) = dmdv_load_get_name(l, item, field->key);
    break;
  case DMD_FIELD_NUMBER:
    *dmd_fault_number(field, fault) = dmdv_load_get_count(l, item, field->key);
    break;
  }
}

static void load_faults(dmdv_loader_t *l, const cJSON *faults) {
  const cJSON *item;
  cJSON_ArrayForEach(item, faults) {
    const char *kind = dmdv_load_get_string(l, item, "kind");
    /* A kind that a later dmd knows is passed over. */
    if (kind == NULL || dmd_fault_kind_of(kind) == DMD_N_FAULTS)
      continue;
    const char *reason = dmdv_load_get_string(l, item, "reason");
    dmd_fault_t fault = {.num = dmdv_load_get_times(l, item, "num"),
                         .kind = dmd_fault_kind_of(kind),
                         .reason = reason != NULL ? dmd_reason_of(reason) : DMD_REASON_NONE,
                         .bytes = dmdv_load_get_count(l, item, "bytes")};
    for (uint32_t i = 0; i < DMD_N_FAULT_FIELDS; i++)
      load_field(l, item, &dmd_fault_fields[i], &fault);
    l->faults += fault.num;
    if (l->faults > (uint64_t)DMDV_LOAD_MAX_NUMBER) {
      dmdv_cutter_reject(&l->cutter, "more than 2^53 faults");
      return;
    }
    dmd_faults_add(&l->profile->faults, &fault);
  }
}

/* An advice about something that a later dmd knows is passed over. */
static void load_advices(dmdv_loader_t *l, const cJSON *advices) {
  const cJSON *item;
  cJSON_ArrayForEach(item, advices) {
    const char *alloc = dmdv_load_get_string(l, item, "alloc"),
               *at = dmdv_load_get_string(l, item, "at");
    const char *held = dmdv_load_get_string(l, item, "held"),
               *reporter = dmdv_load_get_string(l, item, "reporter");
    uint64_t offset = dmdv_load_get_number(l, item, "offset", DMD_OFFSET_ANY);
    dmd_advice_t advice = {.blocks = dmdv_load_get_number(l, item, "blocks", 0),
                           .bytes = dmdv_load_get_number(l, item, "bytes", 0),
                           .offset = offset < DMD_OFFSET_ANY ? (uint32_t)offset : DMD_OFFSET_ANY};
    while (held != NULL && advice.held < DMD_N_HELD &&
           strcmp(held, dmd_held_name(advice.held)) != 0)
      advice.held++;
    if (held == NULL || advice.held == DMD_N_HELD || at == NULL)
      continue;
    l->advised += advice.bytes;
    l->advised_blocks += advice.blocks;
    if (l->advised > (uint64_t)DMDV_LOAD_MAX_NUMBER ||
        l->advised_blocks > (uint64_t)DMDV_LOAD_MAX_NUMBER) {
      dmdv_cutter_reject(&l->cutter, "advices add up to more than 2^53 bytes or blocks");
      return;
    }
    advice.at = dmdv_ids_number(&l->traces, dmdv_span_of(at));
    if (alloc != NULL)
      advice.alloc = dmdv_ids_number(&l->traces, dmdv_span_of(alloc));
    if (reporter != NULL)
      advice.reporter = dmd_intern_str(&l->profile->names, reporter);
    dmd_advices_add(&l->profile->advices, &advice);
  }
}

static void load_memory(dmdv_loader_t *l, const cJSON *object) {
  dmd_footprint_t *memory = &l->profile->memory;
  memory->heap_allocated = dmdv_load_get_number(l, object, "heapAllocated", DMD_MEMORY_UNKNOWN);
  memory->heap_overhead = dmdv_load_get_number(l, object, "heapOverhead", DMD_MEMORY_UNKNOWN);
  memory->resident = dmdv_load_get_number(l, object, "resident", DMD_MEMORY_UNKNOWN);
  memory->resident_unique = dmdv_load_get_number(l, object, "residentUnique", DMD_MEMORY_UNKNOWN);
}

/* Which of n names the string is; n where it is none of them. */
static uint32_t index_of(const char *s, const char *(*name)(uint32_t i), uint32_t n) {
  uint32_t i = 0;
  while (s != NULL && i < n && strcmp(s, name(i)) != 0)
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
static void load_memreport(dmdv_loader_t *l, const cJSON *report) {
  const char *kind = dmdv_load_get_string(l, report, "kind"),
             *units = dmdv_load_get_string(l, report, "units");
  const cJSON *amount = cJSON_GetObjectItemCaseSensitive(report, "amount");
  dmd_memreport_t value = {
      .process = dmdv_load_get_string(l, report, "process"),
      .path = dmdv_load_get_string(l, report, "path"),
      .description = dmdv_load_get_string(l, report, "description"),
      .times = dmdv_load_get_times(l, report, "times"),
      .kind = index_of(kind, kind_name, DMD_MEMREPORT_N_KINDS),
      .units = index_of(units, units_name, DMD_MEMREPORT_N_UNITS),
  };
  if (value.path == NULL || value.path[0] == '\0' || kind == NULL || units == NULL) {
    dmdv_cutter_reject(&l->cutter, "a memory report has no \"path\", \"kind\" or \"units\"");
    return;
  }
  double v = cJSON_IsNumber(amount) ? amount->valuedouble : 2 * DMDV_LOAD_MAX_NUMBER;
  if (v < -DMDV_LOAD_MAX_NUMBER || v > DMDV_LOAD_MAX_NUMBER || v != (double)(int64_t)v) {
    dmdv_cutter_reject(&l->cutter,
                       "a memory report's \"amount\" is not a whole number within 2^53");
    return;
  }
  value.amount = (int64_t)v;
  /* A kind, or units, that a later dmd knows. */
  if (value.kind == DMD_MEMREPORT_N_KINDS || value.units == DMD_MEMREPORT_N_UNITS)
    return;
  if (!dmd_memreports_add(&l->profile->memreports, &value))
    dmdv_cutter_reject(&l->cutter, "more than %d memory reports, or %d bytes of their strings",
                       DMD_MEMREPORTS_MAX, DMD_MEMREPORTS_MAX_TEXT);
}

/* The keys of a profile of ours. */
bool dmdv_load_run(void *ctx) {
  dmdv_loader_t *l = ctx;
  cJSON *dmd = dmdv_cutter_value(&l->cutter);
  if (dmd == NULL)
    return false;
  dmd_profile_t *profile = l->profile;
  dmd_run_t *run = &profile->run;
  run->is_known = true;
  run->version = dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "version"));
  run->valgrind_version =
      dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "valgrindVersion"));
  run->command = dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "command"));
  run->label = dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "label"));
  run->trigger = dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "trigger"));
  run->allocator = dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "allocator"));
  run->allocator_chosen =
      dmd_profile_keep(profile, dmdv_load_get_string(l, dmd, "allocatorChosen"));
  run->pid = dmdv_load_get_number(l, dmd, "pid", 0);
  run->dump_number = dmdv_load_get_number(l, dmd, "dump", 0);
  run->word_szB = dmdv_load_get_number(l, dmd, "wordSize", 8);
  const char *stacks = dmdv_load_get_string(l, dmd, "stacks");
  run->partial_stacks = stacks != NULL && strcmp(stacks, "partial") == 0;
  run->sample_below = dmdv_load_get_number(l, dmd, "sampleBelow", 0);
  run->seed = dmdv_load_get_count(l, dmd, "seed");
  load_totals(l, cJSON_GetObjectItemCaseSensitive(dmd, "totals"));
  load_faults(l, dmdv_load_get_array(l, dmd, "faults"));
  load_advices(l, dmdv_load_get_array(l, dmd, "advice"));
  load_memory(l, cJSON_GetObjectItemCaseSensitive(dmd, "memory"));
  const cJSON *report;
  cJSON_ArrayForEach(report, dmdv_load_get_array(l, dmd, "memoryReports"))
      load_memreport(l, report);
  cJSON_Delete(dmd);
  return !dmdv_cutter_failed(&l->cutter);
}
