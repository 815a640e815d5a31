/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mappings.h: the mappings of the program's address space, and the programs and libraries among
 * them.
 *
 * Built for one capture, then read only.
 */
#ifndef DMD_RECORD_HEAP_MAPPINGS_H
#define DMD_RECORD_HEAP_MAPPINGS_H

#include "base/pool.h"

#include <stdbool.h>

/* A mapped range with uniform properties. */
typedef struct dmd_mapping {
  uint64_t start, end;
  uint64_t offset;  /* of its start within the file */
  const char *path; /* of the file; NULL: anonymous, or the name is unknown */
  bool is_file;
  bool is_readable, is_writable;
  bool is_heap;   /* may contain blocks of the allocator */
  bool is_device; /* reading it may have side effects */
  bool has_code;  /* code in it has run */
} dmd_mapping_t;

/* Where a program or library is mapped. */
typedef struct dmd_mapped_object {
  uint64_t start, end;
  uint64_t bias;       /* subtract this from a program address to get an address in the object */
  uint64_t last_start; /* its data; anonymous memory before that is in a hole */
} dmd_mapped_object_t;

typedef struct dmd_mappings {
  dmd_pool_t mappings; /* in ascending order */
  dmd_pool_t objects;  /* in ascending order; numbered from 1 */
} dmd_mappings_t;

void dmd_mappings_init(dmd_mappings_t *m, const dmd_env_t *env);
void dmd_mappings_destroy(dmd_mappings_t *m);

static inline const dmd_mapping_t *dmd_mapping_at(const dmd_mappings_t *m, uint32_t number) {
  return DMD_POOL_AT(&m->mappings, const dmd_mapping_t, number);
}

static inline const dmd_mapped_object_t *dmd_mapped_object_at(const dmd_mappings_t *m,
                                                              uint32_t number) {
  return DMD_POOL_AT(&m->objects, const dmd_mapped_object_t, number);
}

/* The mapping that contains addr; NULL if none. */
const dmd_mapping_t *dmd_mappings_find(const dmd_mappings_t *m, uint64_t addr);

/* The number of the object that contains addr; DMD_NONE if none. Binary search. */
uint32_t dmd_mappings_object(const dmd_mappings_t *m, uint64_t addr);

#endif
