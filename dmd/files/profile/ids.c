/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/ids.h"

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
