/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/memreports.h"

#include "base/limits.h"
#include "base/mem.h"

const char *dmd_memreport_kind_name(dmd_memreport_kind_t kind) {
  static const char *const names[] = {[DMD_MEMREPORT_NONHEAP] = "nonheap",
                                      [DMD_MEMREPORT_HEAP] = "heap",
                                      [DMD_MEMREPORT_OTHER] = "other"};
  return names[kind];
}

const char *dmd_memreport_units_name(dmd_memreport_units_t units) {
  static const char *const names[] = {[DMD_MEMREPORT_BYTES] = "bytes",
                                      [DMD_MEMREPORT_COUNT] = "count",
                                      [DMD_MEMREPORT_CUMULATIVE] = "count-cumulative",
                                      [DMD_MEMREPORT_PERCENTAGE] = "percentage"};
  return names[units];
}

static uint64_t hash_of(const dmd_memreports_t *reports, const dmd_memreport_entry_t *r) {
  uint64_t h = dmd_table_hash(&reports->index, (uint64_t)r->process << 32 | r->path);
  return dmd_hash_u64(h ^ ((uint64_t)r->kind << 32 | r->units));
}

static bool report_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_memreport_entry_t *a = dmd_memreports_at(owner, id), *b = key;
  return a->process == b->process && a->path == b->path && a->kind == b->kind &&
         a->units == b->units;
}

void dmd_memreports_init(dmd_memreports_t *reports, const dmd_env_t *env) {
  reports->env = env;
  reports->text_szB = 0;
  dmd_intern_init(&reports->strings, env, "dmd.memreports.strings");
  dmd_pool_init(&reports->pool, env, "dmd.memreports", sizeof(dmd_memreport_entry_t));
  dmd_table_init(&reports->index, env, "dmd.memreports.index", report_equal, reports);
}

void dmd_memreports_destroy(dmd_memreports_t *reports) {
  dmd_table_destroy(&reports->index);
  dmd_pool_destroy(&reports->pool);
  dmd_intern_destroy(&reports->strings);
}

void dmd_memreports_clear(dmd_memreports_t *reports) {
  if (reports->text_szB == 0)
    return;
  const dmd_env_t *env = reports->env;
  dmd_memreports_destroy(reports);
  dmd_memreports_init(reports, env);
}

/* The id of a string; DMD_NONE for an empty one. */
static uint32_t string_id(dmd_memreports_t *reports, const char *s) {
  if (s == NULL || s[0] == '\0')
    return DMD_NONE;
  uint32_t before = dmd_intern_count(&reports->strings);
  uint32_t id = dmd_intern_text(&reports->strings, s);
  if (id > before) {
    size_t n;
    dmd_intern_get(&reports->strings, id, &n);
    reports->text_szB += n + 1;
  }
  return id;
}

static int64_t limited(int64_t amount) {
  if (amount > DMD_MEMREPORT_MAX_AMOUNT)
    return DMD_MEMREPORT_MAX_AMOUNT;
  return amount < -DMD_MEMREPORT_MAX_AMOUNT ? -DMD_MEMREPORT_MAX_AMOUNT : amount;
}

static bool is_valid(const dmd_memreport_t *report) {
  return report->path != NULL && report->path[0] != '\0' && report->kind < DMD_MEMREPORT_N_KINDS &&
         report->units < DMD_MEMREPORT_N_UNITS && limited(report->amount) == report->amount;
}

bool dmd_memreports_add(dmd_memreports_t *reports, const dmd_memreport_t *report) {
  /* Looking up a string stores it, so check first that there is space for all of them. */
  if (!is_valid(report) || reports->text_szB >= DMD_MAX_MEMORY_REPORT_TEXT)
    return false;
  dmd_memreport_entry_t entry = {.amount = report->amount,
                                 .times = report->times,
                                 .process = string_id(reports, report->process),
                                 .path = string_id(reports, report->path),
                                 .stack = report->stack,
                                 .kind = report->kind,
                                 .units = report->units};
  uint64_t hash = hash_of(reports, &entry);
  uint32_t id = dmd_table_find(&reports->index, hash, &entry);
  if (id != DMD_NONE) {
    dmd_memreport_entry_t *r = DMD_POOL_AT(&reports->pool, dmd_memreport_entry_t, id);
    r->amount = limited(r->amount + entry.amount);
    r->times = (uint64_t)limited((int64_t)(r->times + entry.times));
    return true;
  }
  if (dmd_memreports_count(reports) == DMD_MAX_MEMORY_REPORTS)
    return false;
  entry.description = string_id(reports, report->description);
  id = dmd_pool_add(&reports->pool);
  *DMD_POOL_AT(&reports->pool, dmd_memreport_entry_t, id) = entry;
  dmd_table_add(&reports->index, hash, id);
  return true;
}

static const char *string_of(const dmd_memreports_t *reports, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&reports->strings, id);
}

dmd_memreport_t dmd_memreports_get(const dmd_memreports_t *reports, uint32_t id) {
  const dmd_memreport_entry_t *r = dmd_memreports_at(reports, id);
  return (dmd_memreport_t){.process = string_of(reports, r->process),
                           .path = string_of(reports, r->path),
                           .description = string_of(reports, r->description),
                           .amount = r->amount,
                           .times = r->times,
                           .stack = r->stack,
                           .kind = r->kind,
                           .units = r->units};
}
