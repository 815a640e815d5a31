/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mappings.h: what the program's address space consists of: the pieces that are mapped, and the
 * files among them that are programs and libraries.
 *
 * Concurrency: nothing locks; it is made for one capture, and then read.
 */
#ifndef DMD_LIVE_MAPPINGS_H
#define DMD_LIVE_MAPPINGS_H

#include "base/pool.h"

#include <stdbool.h>

/* A piece of the address space that is mapped in one way. */
typedef struct dmd_mapping {
  uint64_t start, end;
  uint64_t offset;  /* of its start in the file */
  const char *path; /* of the file; NULL: of none, or of one whose name is not known */
  bool is_file;
  bool is_readable, is_writable;
  bool is_heap;   /* blocks of the allocator lie in it, if anything does */
  bool is_device; /* reading may do something */
  bool has_code;  /* code in it was run */
} dmd_mapping_t;

/* Where a program or library is mapped. */
typedef struct dmd_mapped_object {
  uint64_t start, end;
  uint64_t bias; /* to be subtracted from an address in the program to get one of the object */
} dmd_mapped_object_t;

typedef struct dmd_mappings {
  dmd_pool_t mappings; /* in ascending order */
  dmd_pool_t objects;  /* the same; their numbers count from 1 */
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

/* The mapping that an address is in; NULL: none. */
const dmd_mapping_t *dmd_mappings_find(const dmd_mappings_t *m, uint64_t addr);

/* The number of the object that an address is in; DMD_NONE: none. A search of log n. */
uint32_t dmd_mappings_object(const dmd_mappings_t *m, uint64_t addr);

#endif
