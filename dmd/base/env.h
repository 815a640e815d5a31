/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * env.h: what the core asks of its host.
 *
 * The core is compiled twice: into the Valgrind tool, where there is no libc, and into hosted
 * programs. All that it needs from outside comes through this struct, so that neither build knows
 * the other and a test can count, fail or poison every allocation.
 *
 * The pointer to a dmd_env_t is kept by whatever is initialised with it; the host keeps the struct
 * alive and unchanged for as long.
 */
#ifndef DMD_BASE_ENV_H
#define DMD_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

typedef struct dmd_env {
  /* szB > 0 bytes, aligned for any object, contents undefined. Never returns NULL: a host that is
   * out of memory does not return at all (it exits, panics or jumps away). cost_centre is a string
   * literal that names the use; Valgrind's allocation profiler shows it. */
  void *(*alloc)(void *ctx, const char *cost_centre, size_t szB);
  /* Takes back what alloc gave; NULL is allowed. */
  void (*free)(void *ctx, void *p);
  /* A broken invariant of the core's own. Does not return. */
  void (*panic)(void *ctx, const char *what);
  void *ctx;
  /* Hears now and then how far long work is, such as "dominators": so much of a total. NULL: nobody
   * wants to know. No result depends on it. */
  void (*tell)(void *ctx, const char *what, uint64_t done, uint64_t total);
  /* What the hashes of tables begin with. Where input comes from strangers it must be a number that
   * they cannot know: otherwise they could choose keys that collide. No result depends on it.
   */
  uint64_t hash_seed;
} dmd_env_t;

static inline void *dmd_env_alloc(const dmd_env_t *env, const char *cost_centre, size_t szB) {
  return env->alloc(env->ctx, cost_centre, szB);
}

/* Cheap: may be called for each node of a graph. */
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
