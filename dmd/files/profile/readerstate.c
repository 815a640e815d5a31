/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/readerstate.h"

#include "base/limits.h"

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
