/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/published.h"

#include "base/mem.h"

const char *dmd_published_kind_name(dmd_published_kind_t kind) {
  static const char *const names[] = {[DMD_PUBLISHED_NONHEAP] = "nonheap",
                                      [DMD_PUBLISHED_HEAP] = "heap",
                                      [DMD_PUBLISHED_OTHER] = "other"};
  return names[kind];
}

const char *dmd_published_units_name(dmd_published_units_t units) {
  static const char *const names[] = {[DMD_PUBLISHED_BYTES] = "bytes",
                                      [DMD_PUBLISHED_COUNT] = "count",
                                      [DMD_PUBLISHED_CUMULATIVE] = "count-cumulative",
                                      [DMD_PUBLISHED_PERCENTAGE] = "percentage"};
  return names[units];
}

static uint64_t hash_of(const dmd_published_report_t *r) {
  return dmd_hash_u64(dmd_hash_u64((uint64_t)r->process << 32 | r->path) ^
                      ((uint64_t)r->kind << 32 | r->units));
}

static bool report_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_published_report_t *a = dmd_published_at(owner, id), *b = key;
  return a->process == b->process && a->path == b->path && a->kind == b->kind &&
         a->units == b->units;
}

void dmd_published_init(dmd_published_t *published, const dmd_env_t *env) {
  published->env = env;
  published->text_szB = 0;
  dmd_intern_init(&published->strings, env, "dmd.published.strings");
  dmd_pool_init(&published->pool, env, "dmd.published", sizeof(dmd_published_report_t));
  dmd_table_init(&published->index, env, "dmd.published.index", report_equal, published);
}

void dmd_published_destroy(dmd_published_t *published) {
  dmd_table_destroy(&published->index);
  dmd_pool_destroy(&published->pool);
  dmd_intern_destroy(&published->strings);
}

void dmd_published_clear(dmd_published_t *published) {
  if (published->text_szB == 0)
    return;
  const dmd_env_t *env = published->env;
  dmd_published_destroy(published);
  dmd_published_init(published, env);
}

/* The id of a string, DMD_NONE for an empty one. */
static uint32_t string_id(dmd_published_t *published, const char *s) {
  if (s == NULL || s[0] == '\0')
    return DMD_NONE;
  uint32_t before = dmd_intern_count(&published->strings);
  uint32_t id = dmd_intern_str(&published->strings, s);
  if (id > before)
    published->text_szB += dmd_str_length(s) + 1;
  return id;
}

static int64_t limited(int64_t amount) {
  if (amount > DMD_PUBLISHED_MAX_AMOUNT)
    return DMD_PUBLISHED_MAX_AMOUNT;
  return amount < -DMD_PUBLISHED_MAX_AMOUNT ? -DMD_PUBLISHED_MAX_AMOUNT : amount;
}

static bool is_valid(const dmd_published_value_t *value) {
  return value->path != NULL && value->path[0] != '\0' && value->kind < DMD_PUBLISHED_N_KINDS &&
         value->units < DMD_PUBLISHED_N_UNITS && limited(value->amount) == value->amount;
}

bool dmd_published_add(dmd_published_t *published, const dmd_published_value_t *value) {
  /* Looking up a string keeps it: so the room for all is asked about first. */
  if (!is_valid(value) || published->text_szB >= DMD_PUBLISHED_MAX_TEXT)
    return false;
  dmd_published_report_t report = {.amount = value->amount,
                                   .times = value->times,
                                   .process = string_id(published, value->process),
                                   .path = string_id(published, value->path),
                                   .stack = value->stack,
                                   .kind = value->kind,
                                   .units = value->units};
  uint64_t hash = hash_of(&report);
  uint32_t id = dmd_table_find(&published->index, hash, &report);
  if (id != DMD_NONE) {
    dmd_published_report_t *r = DMD_POOL_AT(&published->pool, dmd_published_report_t, id);
    r->amount = limited(r->amount + report.amount);
    r->times = (uint64_t)limited((int64_t)(r->times + report.times));
    return true;
  }
  if (dmd_published_count(published) == DMD_PUBLISHED_MAX)
    return false;
  report.description = string_id(published, value->description);
  id = dmd_pool_add(&published->pool);
  *DMD_POOL_AT(&published->pool, dmd_published_report_t, id) = report;
  dmd_table_add(&published->index, hash, id);
  return true;
}

static const char *string_of(const dmd_published_t *published, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&published->strings, id);
}

dmd_published_value_t dmd_published_value(const dmd_published_t *published, uint32_t id) {
  const dmd_published_report_t *r = dmd_published_at(published, id);
  return (dmd_published_value_t){.process = string_of(published, r->process),
                                 .path = string_of(published, r->path),
                                 .description = string_of(published, r->description),
                                 .amount = r->amount,
                                 .times = r->times,
                                 .stack = r->stack,
                                 .kind = r->kind,
                                 .units = r->units};
}
