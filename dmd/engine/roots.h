/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * roots.h: what the program reaches its blocks from, at one moment, with names.
 *
 * Roots are as in Memcheck's leak check: mapped memory of the program that it can read and write,
 * without the allocator's arena and without devices; of stacks only what is in use; registers. They
 * are cut so that each has one name: data of an object, the part of a stack that is one frame's, a
 * thread's own storage, other memory by the file that is mapped. A host that knows nothing of these
 * has none.
 *
 * Concurrency: that of the engine (engine.h). It is made for one capture, and then read.
 */
#ifndef DMD_ENGINE_ROOTS_H
#define DMD_ENGINE_ROOTS_H

#include "engine/host.h"
#include "graph/heapgraph.h"
#include "live/mappings.h"
#include "live/memory.h"

typedef struct dmd_root {
  dmd_root_kind_t kind;
  uint64_t addr, szB;
  uint32_t object;              /* of DMD_ROOT_DATA: its number in mappings.objects */
  uint32_t thread;              /* whose it is; 0: nobody's */
  dmd_code_t frame;             /* of DMD_ROOT_STACK; ip 0: unknown */
  const char *name;             /* NULL: none */
  uint64_t origin;              /* what variables in it are counted from; 0: unknown */
  uint32_t first_word, n_words; /* of DMD_ROOT_REGISTERS: what is in them, of `words` */
} dmd_root_t;

typedef struct dmd_roots {
  const dmd_engine_host_t *host;
  const dmd_memory_t *memory;
  dmd_mappings_t mappings;
  dmd_pool_t objects; /* dmd_graph_object_t, by number */
  dmd_pool_t roots;   /* dmd_root_t */
  dmd_pool_t words;   /* uint64_t, of registers */
  dmd_pool_t taken;   /* of the address space, by threads: what is not other memory */
  dmd_intern_t texts; /* what strings and build ids are kept in */
  uint64_t tls_szB;   /* that each thread has of objects loaded now, at most */
} dmd_roots_t;

/* Must stay where it is until it is destroyed. Between the host's memory_begin and memory_end. */
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
