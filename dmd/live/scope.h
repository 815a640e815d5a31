/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scope.h: named scopes that threads open and close.
 *
 * Tags and reporters are both scopes: each thread has a stack of names, and the innermost one is in
 * force. One dmd_scopes_t holds the stacks of all threads for one kind of scope. Names are ids that
 * the owner interned; DMD_NONE is none.
 */
#ifndef DMD_LIVE_SCOPE_H
#define DMD_LIVE_SCOPE_H

#include "base/env.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct dmd_scope_stack {
  uint32_t *names;
  uint32_t depth, max_depth;
} dmd_scope_stack_t;

typedef struct dmd_scopes {
  const dmd_env_t *env;
  dmd_scope_stack_t *threads; /* by thread number */
  uint32_t n_threads;
  uint64_t n_open; /* scopes open now, of all threads */
} dmd_scopes_t;

void dmd_scopes_init(dmd_scopes_t *scopes, const dmd_env_t *env);
void dmd_scopes_destroy(dmd_scopes_t *scopes);

/* Opens a scope; returns the new depth of the thread's stack. */
uint32_t dmd_scopes_push(dmd_scopes_t *scopes, uint32_t thread, uint32_t name);

/* Closes the innermost scope; false where the thread has none open. */
bool dmd_scopes_pop(dmd_scopes_t *scopes, uint32_t thread);

/* Closes all scopes of a thread: it ended, and its number may be given to another. */
void dmd_scopes_end_thread(dmd_scopes_t *scopes, uint32_t thread);

uint32_t dmd_scopes_depth(const dmd_scopes_t *scopes, uint32_t thread);

/* The name of the thread's innermost scope, or DMD_NONE. Called for each allocation: costs one
 * comparison while no thread has a scope open. */
static inline uint32_t dmd_scopes_top(const dmd_scopes_t *scopes, uint32_t thread) {
  if (scopes->n_open == 0 || thread >= scopes->n_threads)
    return DMD_NONE;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  return stack->depth == 0 ? DMD_NONE : stack->names[stack->depth - 1];
}

#endif
