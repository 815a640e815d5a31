/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/readerstate.h"

#include "base/limits.h"

/* ---- Ids. ---- */

enum { MAX_DIGITS = 9, NOT_DECIMAL = UINT32_MAX, MORE = 4096 };

void dmd_ids_init(dmd_ids_t *ids, const dmd_env_t *env, const char *cost_centre) {
  dmd_intern_init(&ids->texts, env, cost_centre);
  dmd_pool_init(&ids->meanings, env, cost_centre, sizeof(uint32_t));
  ids->decimal = NULL;
  ids->n_decimal = 0;
}

void dmd_ids_destroy(dmd_ids_t *ids) {
  dmd_env_free(ids->texts.env, ids->decimal);
  dmd_pool_destroy(&ids->meanings);
  dmd_intern_destroy(&ids->texts);
}

/* The value of a decimal id as dmd writes it. */
static uint32_t value_of(dmd_span_t id) {
  uint32_t v = 0;
  if (id.n == 0 || id.n > MAX_DIGITS || id.at[0] == '0')
    return NOT_DECIMAL;
  for (size_t i = 0; i < id.n; i++) {
    if (id.at[i] < '0' || id.at[i] > '9')
      return NOT_DECIMAL;
    v = v * 10 + (uint32_t)(id.at[i] - '0');
  }
  return v;
}

/* Grows the array to hold this value, unless that would make it too long for the number of ids. */
static bool reach(dmd_ids_t *ids, uint32_t value) {
  uint32_t n_ids = dmd_ids_count(ids), old = ids->n_decimal;
  if (value < old)
    return true;
  if (value / 2 > n_ids + MORE)
    return false;
  uint32_t n = value + 1 > 2 * old ? value + 1 : 2 * old;
  const dmd_env_t *env = ids->texts.env;
  uint32_t *decimal = dmd_env_alloc(env, "dmd.load.ids", n * sizeof *decimal);
  for (uint32_t i = 0; i < n; i++)
    decimal[i] = i < old ? ids->decimal[i] : DMD_NONE;
  dmd_env_free(env, ids->decimal);
  ids->decimal = decimal;
  ids->n_decimal = n;
  return true;
}

uint32_t dmd_ids_number(dmd_ids_t *ids, dmd_span_t id) {
  uint32_t value = value_of(id);
  if (value < ids->n_decimal && ids->decimal[value] != DMD_NONE)
    return ids->decimal[value];
  uint32_t number = dmd_intern_bytes(&ids->texts, id.at, id.n);
  dmd_pool_reach(&ids->meanings, number);
  if (value != NOT_DECIMAL && reach(ids, value))
    ids->decimal[value] = number;
  return number;
}

/* ---- State of a reader. ---- */

/* ---- Values. ---- */

uint64_t dmd_load_number_in(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, const char *key,
                            uint64_t least) {
  double v = item->number;
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_NUMBER) && v >= (double)least &&
      v <= DMD_LOAD_MAX_NUMBER && v == (double)(uint64_t)v)
    return (uint64_t)v;
  dmd_jsoncutter_reject(&l->cutter, "\"%s\" is not a whole number from %llu to " DMD_MAX_COUNT_TEXT,
                        key, (unsigned long long)least);
  return 0;
}

uint64_t dmd_load_count_in(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, const char *key) {
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_NUMBER) && item->has_whole)
    return item->whole;
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_NUMBER) && item->number > DMD_LOAD_MAX_NUMBER)
    return item->number < 0x1p64 ? (uint64_t)item->number : UINT64_MAX;
  return dmd_load_number_in(l, item, key, 0);
}

const char *dmd_load_string_in(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, const char *key) {
  if (!dmd_jsonvalue_is(item, DMD_JSONVALUE_STRING) && !dmd_jsonvalue_is(item, DMD_JSONVALUE_NULL))
    dmd_jsoncutter_reject(&l->cutter, "\"%s\" is not a string", key);
  return dmd_jsonvalue_is(item, DMD_JSONVALUE_STRING) ? item->string : NULL;
}

uint64_t dmd_load_get_number(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key,
                             uint64_t fallback) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(object, key);
  return item == NULL ? fallback : dmd_load_number_in(l, item, key, 0);
}

uint64_t dmd_load_get_count(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(object, key);
  return item == NULL ? 0 : dmd_load_count_in(l, item, key);
}

uint64_t dmd_load_get_times(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(object, key);
  return item == NULL ? 1 : dmd_load_number_in(l, item, key, 1);
}

const char *dmd_load_get_string(dmd_readerstate_t *l, const dmd_jsonvalue_t *object,
                                const char *key) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(object, key);
  return item == NULL ? NULL : dmd_load_string_in(l, item, key);
}

/* ---- Ids. ---- */

uint32_t dmd_load_get_trace(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key) {
  const char *id = dmd_load_get_string(l, object, key);
  return id == NULL ? DMD_NONE : dmd_ids_number(&l->traces, dmd_span_of(id));
}

uint32_t dmd_load_get_name(dmd_readerstate_t *l, const dmd_jsonvalue_t *object, const char *key) {
  const char *name = dmd_load_get_string(l, object, key);
  return name == NULL ? DMD_NONE : dmd_intern_str(&l->profile->names, name);
}
