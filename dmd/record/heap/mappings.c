/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/mappings.h"

#include "base/sort.h"

void dmd_mappings_init(dmd_mappings_t *m, const dmd_env_t *env) {
  dmd_pool_init(&m->mappings, env, "dmd.mappings", sizeof(dmd_mapping_t));
  dmd_pool_init(&m->objects, env, "dmd.mappings.objects", sizeof(dmd_mapped_object_t));
}

void dmd_mappings_destroy(dmd_mappings_t *m) {
  dmd_pool_destroy(&m->objects);
  dmd_pool_destroy(&m->mappings);
}

static uint64_t start_of_mapping(const dmd_mappings_t *m, uint32_t number) {
  return dmd_mapping_at(m, number)->start;
}

static uint64_t start_of_object(const dmd_mappings_t *m, uint32_t number) {
  return dmd_mapped_object_at(m, number)->start;
}

/* The last of n entries that starts at or before the address; DMD_NONE if none. */
static uint32_t find_last(const dmd_mappings_t *m, uint64_t addr, uint32_t n,
                          uint64_t (*start_of)(const dmd_mappings_t *m, uint32_t number)) {
  uint32_t number;
  DMD_SEARCH(number, 0, n, start_of(m, number + 1) <= addr);
  return number;
}

const dmd_mapping_t *dmd_mappings_find(const dmd_mappings_t *m, uint64_t addr) {
  uint32_t number = find_last(m, addr, m->mappings.last, start_of_mapping);
  if (number == DMD_NONE || addr >= dmd_mapping_at(m, number)->end)
    return NULL;
  return dmd_mapping_at(m, number);
}

/* Most addresses looked up are in the heap, far from all objects. */
uint32_t dmd_mappings_object(const dmd_mappings_t *m, uint64_t addr) {
  if (m->objects.last == 0 || addr < dmd_mapped_object_at(m, 1)->start ||
      addr >= dmd_mapped_object_at(m, m->objects.last)->end)
    return DMD_NONE;
  uint32_t number = find_last(m, addr, m->objects.last, start_of_object);
  if (number == DMD_NONE || addr >= dmd_mapped_object_at(m, number)->end)
    return DMD_NONE;
  return number;
}
