/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/reach.h"

#include "base/mem.h"

bool dmd_derive_record_owns(const dmd_derive_record_t *record) {
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next)
    if (dmd_derive_value_owns(member, member->type, 0))
      return true;
  return false;
}

bool dmd_derive_value_owns(const dmd_derive_member_t *member, const dmd_derive_type_t *type,
                           unsigned level) {
  while (type->kind == DMD_DERIVE_ARRAY)
    type = type->of;
  const dmd_derive_word_t *word = dmd_derive_level(member, level);
  if (word != NULL)
    return word->kind != DMD_DERIVE_IGNORES;
  return type->kind == DMD_DERIVE_RECORD && dmd_derive_record_owns(type->record);
}

/* The measured record that a member is, holds or leads to; or NULL. */
static const dmd_derive_record_t *target(const dmd_derive_member_t *member) {
  const dmd_derive_type_t *type = member->type;
  for (unsigned level = 0; type->kind == DMD_DERIVE_ARRAY || type->kind == DMD_DERIVE_POINTER;
       type = type->of)
    if (type->kind == DMD_DERIVE_POINTER) {
      const dmd_derive_word_t *word = dmd_derive_level(member, level++);
      if (word == NULL || !(word->kind <= DMD_DERIVE_OWNS_LIST || word->kind == DMD_DERIVE_SHARES))
        return NULL;
    }
  return type->kind == DMD_DERIVE_RECORD ? type->record : NULL;
}

static uint32_t number_of(const dmd_derive_reach_t *reach, const dmd_derive_record_t *record) {
  uint32_t i = 0;
  while (i < reach->n && reach->records[i] != record)
    i++;
  return i;
}

static void add_targets(dmd_derive_reach_t *reach, uint32_t from,
                        const dmd_derive_record_t *record) {
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    const dmd_derive_record_t *to = target(member);
    uint32_t number = number_of(reach, to);
    if (number < reach->n)
      reach->leads[from * reach->n + number] = true;
    else if (to != NULL && dmd_derive_is_inside(to))
      add_targets(reach, from, to);
  }
}

/* Adds the paths through other records (Warshall's algorithm). */
static void join(dmd_derive_reach_t *reach) {
  uint32_t n = reach->n;
  for (uint32_t between = 0; between < n; between++)
    for (uint32_t from = 0; from < n; from++)
      if (reach->leads[from * n + between])
        for (uint32_t to = 0; to < n; to++)
          reach->leads[from * n + to] |= reach->leads[between * n + to];
}

void dmd_derive_reach_init(dmd_derive_reach_t *reach, const dmd_derive_model_t *model) {
  *reach = (dmd_derive_reach_t){.env = model->env};
  uint32_t most = 1;
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    most++;
  reach->records = dmd_env_alloc(model->env, "dmd.derive.reach", most * sizeof *reach->records);
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    if (record->is_wanted && dmd_derive_is_measured(record))
      reach->records[reach->n++] = record;
  size_t szB = (size_t)reach->n * reach->n + 1;
  reach->leads = dmd_env_alloc(model->env, "dmd.derive.reach", szB);
  dmd_mem_zero(reach->leads, szB);
  for (uint32_t i = 0; i < reach->n; i++)
    add_targets(reach, i, reach->records[i]);
  join(reach);
}

void dmd_derive_reach_destroy(dmd_derive_reach_t *reach) {
  dmd_env_free(reach->env, reach->records);
  dmd_env_free(reach->env, reach->leads);
}

bool dmd_derive_leads(const dmd_derive_reach_t *reach, const dmd_derive_record_t *from,
                      const dmd_derive_record_t *to) {
  uint32_t a = number_of(reach, from), b = number_of(reach, to);
  return a < reach->n && b < reach->n && reach->leads[a * reach->n + b];
}
