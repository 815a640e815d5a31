/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * env.h: the interface between the core and its host.
 *
 * The core is compiled twice: into the Valgrind tool, where there is no libc, and into hosted
 * programs. Everything it needs from outside comes through this struct, so that neither build
 * depends on the other, and a test can count, fail or poison every allocation.
 *
 * Objects keep the pointer to the dmd_env_t that they were initialised with; the host keeps that
 * struct alive and unchanged meanwhile.
 *
 * Concurrency: nothing in this folder locks, except lock.h. An object belongs to one thread at a
 * time, unless its header says more.
 */
#ifndef DMD_BASE_ENV_H
#define DMD_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

typedef struct dmd_env {
  /* Returns szB > 0 bytes, aligned for any object, with undefined contents. Never returns NULL: a
   * host that is out of memory does not return (it exits, panics or jumps away). cost_centre is a
   * string literal that names the purpose; Valgrind's allocation profiler shows it. */
  void *(*alloc)(void *ctx, const char *cost_centre, size_t szB);
  /* Frees memory from alloc; NULL is allowed. */
  void (*free)(void *ctx, void *p);
  /* Called if an invariant of the core is broken. Does not return. */
  void (*panic)(void *ctx, const char *what);
  void *ctx;
  /* Receives the progress of long work, such as "dominators": done of total. NULL: no progress is
   * reported. No result depends on it. */
  void (*tell)(void *ctx, const char *what, uint64_t done, uint64_t total);
  /* Seed for the hashes of tables. For untrusted input it must be unpredictable: otherwise an
   * attacker could choose keys that collide. No result depends on it. */
  uint64_t hash_seed;
} dmd_env_t;

static inline void *dmd_env_alloc(const dmd_env_t *env, const char *cost_centre, size_t szB) {
  return env->alloc(env->ctx, cost_centre, szB);
}

/* Reports progress. Cheap enough to call for each node of a graph. */
static inline void dmd_env_tell(const dmd_env_t *env, const char *what, uint64_t done,
                                uint64_t total) {
  enum { TOLD_EVERY = 1 << 15 };
  if (done % TOLD_EVERY == 0 && env->tell != NULL)
    env->tell(env->ctx, what, done, total);
}

static inline void dmd_env_free(const dmd_env_t *env, void *p) {
  env->free(env->ctx, p);
}

#endif
