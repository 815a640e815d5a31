/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/input/loader.h"

#include "base/limits.h"

/* ---- Values. ---- */

uint64_t dmdv_load_number_in(dmdv_loader_t *l, const cJSON *item, const char *key, uint64_t least) {
  double v = item->valuedouble;
  if (cJSON_IsNumber(item) && v >= (double)least && v <= DMDV_LOAD_MAX_NUMBER &&
      v == (double)(uint64_t)v)
    return (uint64_t)v;
  dmdv_cutter_reject(&l->cutter, "\"%s\" is not a whole number from %llu to " DMD_MAX_COUNT_TEXT,
                     key, (unsigned long long)least);
  return 0;
}

uint64_t dmdv_load_count_in(dmdv_loader_t *l, const cJSON *item, const char *key) {
  if (cJSON_IsNumber(item) && item->valuedouble > DMDV_LOAD_MAX_NUMBER)
    return item->valuedouble < 0x1p64 ? (uint64_t)item->valuedouble : UINT64_MAX;
  return dmdv_load_number_in(l, item, key, 0);
}

const char *dmdv_load_string_in(dmdv_loader_t *l, const cJSON *item, const char *key) {
  if (!cJSON_IsString(item) && !cJSON_IsNull(item))
    dmdv_cutter_reject(&l->cutter, "\"%s\" is not a string", key);
  return cJSON_IsString(item) ? item->valuestring : NULL;
}

uint64_t dmdv_load_get_number(dmdv_loader_t *l, const cJSON *object, const char *key,
                              uint64_t fallback) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return item == NULL ? fallback : dmdv_load_number_in(l, item, key, 0);
}

uint64_t dmdv_load_get_count(dmdv_loader_t *l, const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return item == NULL ? 0 : dmdv_load_count_in(l, item, key);
}

uint64_t dmdv_load_get_times(dmdv_loader_t *l, const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return item == NULL ? 1 : dmdv_load_number_in(l, item, key, 1);
}

const char *dmdv_load_get_string(dmdv_loader_t *l, const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return item == NULL ? NULL : dmdv_load_string_in(l, item, key);
}

/* ---- Ids. ---- */

uint32_t dmdv_load_get_trace(dmdv_loader_t *l, const cJSON *object, const char *key) {
  const char *id = dmdv_load_get_string(l, object, key);
  return id == NULL ? DMD_NONE : dmdv_ids_number(&l->traces, dmdv_span_of(id));
}

uint32_t dmdv_load_get_name(dmdv_loader_t *l, const cJSON *object, const char *key) {
  const char *name = dmdv_load_get_string(l, object, key);
  return name == NULL ? DMD_NONE : dmd_intern_str(&l->profile->names, name);
}
