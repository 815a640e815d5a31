/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/scope.h"

#include "base/mem.h"

void dmd_scopes_init(dmd_scopes_t *scopes, const dmd_env_t *env) {
  dmd_mem_zero(scopes, sizeof *scopes);
  scopes->env = env;
}

void dmd_scopes_destroy(dmd_scopes_t *scopes) {
  for (uint32_t i = 0; i < scopes->n_threads; i++)
    dmd_env_free(scopes->env, scopes->threads[i].names);
  dmd_env_free(scopes->env, scopes->threads);
  dmd_scopes_init(scopes, scopes->env);
}

static dmd_scope_stack_t *stack_of(dmd_scopes_t *scopes, uint32_t thread) {
  if (thread >= scopes->n_threads) {
    uint32_t n = scopes->n_threads == 0 ? 16 : scopes->n_threads;
    while (n <= thread)
      n *= 2;
    dmd_scope_stack_t *threads = dmd_env_alloc(scopes->env, "dmd.scopes", n * sizeof *threads);
    dmd_mem_zero(threads, n * sizeof *threads);
    dmd_mem_copy(threads, scopes->threads, scopes->n_threads * sizeof *threads);
    dmd_env_free(scopes->env, scopes->threads);
    scopes->threads = threads;
    scopes->n_threads = n;
  }
  return &scopes->threads[thread];
}

uint32_t dmd_scopes_push(dmd_scopes_t *scopes, uint32_t thread, uint32_t name) {
  dmd_scope_stack_t *stack = stack_of(scopes, thread);
  if (stack->depth == stack->max_depth) {
    uint32_t max = stack->max_depth == 0 ? 8 : stack->max_depth * 2;
    uint32_t *names = dmd_env_alloc(scopes->env, "dmd.scopes.names", max * sizeof *names);
    dmd_mem_copy(names, stack->names, stack->depth * sizeof *names);
    dmd_env_free(scopes->env, stack->names);
    stack->names = names;
    stack->max_depth = max;
  }
  stack->names[stack->depth++] = name;
  scopes->n_open++;
  return stack->depth;
}

bool dmd_scopes_pop(dmd_scopes_t *scopes, uint32_t thread) {
  if (dmd_scopes_depth(scopes, thread) == 0)
    return false;
  scopes->threads[thread].depth--;
  scopes->n_open--;
  return true;
}

void dmd_scopes_end_thread(dmd_scopes_t *scopes, uint32_t thread) {
  uint32_t depth = dmd_scopes_depth(scopes, thread);
  if (depth == 0)
    return;
  scopes->threads[thread].depth = 0;
  scopes->n_open -= depth;
}

uint32_t dmd_scopes_depth(const dmd_scopes_t *scopes, uint32_t thread) {
  return thread < scopes->n_threads ? scopes->threads[thread].depth : 0;
}
