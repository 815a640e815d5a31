/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * roots.h: the named roots of the heap graph at one moment.
 *
 * Roots are the same as in Memcheck's leak check: mapped memory that the program can read and
 * write, except the allocator's arena and devices; the used part of stacks; registers. They are
 * split so that each has one name: data of an object, one frame of a stack, a thread's own storage,
 * other memory by its mapped file. A host that knows none of this has no roots.
 *
 * Built for one capture, then read only.
 */
#ifndef DMD_RECORD_ENGINE_ROOTS_H
#define DMD_RECORD_ENGINE_ROOTS_H

#include "model/graph/heapgraph.h"
#include "record/heap/mappings.h"
#include "record/heap/pages.h"
#include "record/host.h"

typedef struct dmd_root {
  dmd_root_kind_t kind;
  uint64_t addr, szB;
  uint32_t object;              /* for DMD_ROOT_DATA: number in mappings.objects */
  uint32_t thread;              /* the thread that it belongs to; 0: none */
  dmd_code_t frame;             /* for DMD_ROOT_STACK; ip 0: unknown */
  const char *name;             /* NULL: none */
  uint64_t origin;              /* base address for offsets of variables in it; 0: unknown */
  uint32_t first_word, n_words; /* for DMD_ROOT_REGISTERS: their values, in `words` */
} dmd_root_t;

typedef struct dmd_roots {
  const dmd_engine_host_t *host;
  const dmd_memory_t *memory;
  dmd_mappings_t mappings;
  dmd_pool_t objects; /* dmd_graph_object_t, by number */
  dmd_pool_t roots;   /* dmd_root_t */
  dmd_pool_t words;   /* uint64_t, register values */
  dmd_pool_t taken;   /* ranges taken by threads, which are not other memory */
  dmd_intern_t texts; /* owns strings and build ids */
  uint64_t tls_szB; /* upper bound of the thread-local storage for objects loaded now, per thread */
} dmd_roots_t;

/* Must not move until it is destroyed. Call between the host's memory_begin and memory_end. */
void dmd_roots_init(dmd_roots_t *roots, const dmd_engine_host_t *host, const dmd_env_t *env,
                    const dmd_memory_t *memory);
void dmd_roots_destroy(dmd_roots_t *roots);

static inline uint32_t dmd_roots_count(const dmd_roots_t *roots) {
  return roots->roots.last;
}

static inline const dmd_root_t *dmd_roots_at(const dmd_roots_t *roots, uint32_t number) {
  return DMD_POOL_AT(&roots->roots, const dmd_root_t, number);
}

static inline const dmd_graph_object_t *dmd_roots_object(const dmd_roots_t *roots,
                                                         uint32_t number) {
  return DMD_POOL_AT(&roots->objects, const dmd_graph_object_t, number);
}

#endif
