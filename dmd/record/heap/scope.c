/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/scope.h"

#include "base/mem.h"

void dmd_scopes_init(dmd_scopes_t *scopes, const dmd_env_t *env) {
  dmd_mem_zero(scopes, sizeof *scopes);
  scopes->env = env;
}

static uint32_t count_in_coroutines(const dmd_scope_stack_t *stack) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < stack->depth; i++)
    n += stack->open[i].begin.in_coroutine;
  return n;
}

static void free_interrupted(dmd_scopes_t *scopes, dmd_scope_stack_t *stack) {
  while (stack->interrupted != NULL) {
    dmd_scope_stack_t *outer = stack->interrupted;
    scopes->n_in_coroutines -= count_in_coroutines(outer);
    dmd_env_free(scopes->env, outer->open);
    stack->interrupted = outer->interrupted;
    dmd_env_free(scopes->env, outer);
  }
}

void dmd_scopes_destroy(dmd_scopes_t *scopes) {
  for (uint32_t i = 0; i < scopes->n_threads; i++) {
    free_interrupted(scopes, &scopes->threads[i]);
    dmd_env_free(scopes->env, scopes->threads[i].open);
  }
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

static void open_scope(dmd_scopes_t *scopes, dmd_scope_stack_t *stack, dmd_scope_t scope) {
  if (stack->depth == stack->max_depth) {
    uint32_t max = stack->max_depth == 0 ? 8 : stack->max_depth * 2;
    dmd_scope_t *open = dmd_env_alloc(scopes->env, "dmd.scopes.open", max * sizeof *open);
    dmd_mem_copy(open, stack->open, stack->depth * sizeof *open);
    dmd_env_free(scopes->env, stack->open);
    stack->open = open;
    stack->max_depth = max;
  }
  stack->open[stack->depth++] = scope;
  scopes->n_open++;
}

static bool top_is_set(const dmd_scope_stack_t *stack) {
  return stack->depth > 0 && stack->open[stack->depth - 1].is_set;
}

uint32_t dmd_scopes_push(dmd_scopes_t *scopes, uint32_t thread, uint32_t name) {
  open_scope(scopes, stack_of(scopes, thread), (dmd_scope_t){.name = name});
  return dmd_scopes_depth(scopes, thread);
}

/* Assumed maximum size of a stack: an address further out is elsewhere. */
static const uint64_t max_stack_szB = UINT64_C(8) << 20;

bool dmd_place_is_on_stack(const dmd_place_t *place, uint64_t addr) {
  return addr - place->sp < max_stack_szB;
}

uint32_t dmd_scopes_begin(dmd_scopes_t *scopes, uint32_t thread, uint32_t name, dmd_place_t place) {
  dmd_scope_stack_t *stack = stack_of(scopes, thread);
  bool is_free =
      place.guard != 0 && (place.in_coroutine || !dmd_place_is_on_stack(&place, place.guard));
  open_scope(scopes, stack, (dmd_scope_t){.name = name, .begin = place, .is_free = is_free});
  stack->n_free += is_free;
  scopes->n_in_coroutines += place.in_coroutine;
  return dmd_scopes_depth(scopes, thread);
}

dmd_scope_t *dmd_scopes_pushed(const dmd_scopes_t *scopes, uint32_t thread, uint32_t outer) {
  if (thread >= scopes->n_threads)
    return NULL;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  for (uint32_t i = stack->depth; i-- > 0;)
    if (!stack->open[i].is_set && outer-- == 0)
      return &stack->open[i];
  return NULL;
}

dmd_scope_t *dmd_scopes_next_pushed(const dmd_scopes_t *scopes, uint32_t thread,
                                    const dmd_scope_t *inner) {
  if (thread >= scopes->n_threads)
    return NULL;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  for (size_t i = inner == NULL ? stack->depth : (size_t)(inner - stack->open); i-- > 0;)
    if (!stack->open[i].is_set)
      return &stack->open[i];
  return NULL;
}

dmd_scope_t *dmd_scopes_of_others(const dmd_scopes_t *scopes, uint32_t thread, uint32_t name) {
  if (scopes->n_open == dmd_scopes_depth(scopes, thread))
    return NULL;
  for (uint32_t t = 0; t < scopes->n_threads; t++)
    for (uint32_t i = 0; t != thread && i < scopes->threads[t].depth; i++)
      if (scopes->threads[t].open[i].name == name)
        return &scopes->threads[t].open[i];
  return NULL;
}

uint32_t dmd_scopes_n_left(const dmd_scopes_t *scopes, uint32_t thread, dmd_place_t end,
                           bool (*same_function)(void *ctx, uint64_t ip, uint64_t other_ip),
                           void *ctx) {
  if (thread >= scopes->n_threads)
    return 0;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  uint32_t n = 0;
  for (uint32_t i = stack->depth; i-- > 0;) {
    const dmd_scope_t *scope = &stack->open[i];
    if (scope->is_set || scope->is_free)
      continue;
    if (scope->begin.sp == end.sp)
      return n == 0 || same_function(ctx, scope->begin.ip, end.ip) ? n : 0;
    if (scope->begin.sp == 0 || scope->begin.sp > end.sp)
      break;
    n++;
  }
  return 0;
}

dmd_scope_t *dmd_scopes_find(const dmd_scopes_t *scopes, uint32_t thread, uint64_t depth) {
  if (thread >= scopes->n_threads)
    return NULL;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  uint64_t i = depth - 1 - (stack->base != DMD_NONE);
  return i >= stack->depth || stack->open[i].is_set ? NULL : &stack->open[i];
}

dmd_scope_t *dmd_scopes_find_guard(const dmd_scopes_t *scopes, uint32_t thread, uint64_t guard) {
  dmd_scope_t *scope = NULL;
  while ((scope = dmd_scopes_next_pushed(scopes, thread, scope)) != NULL)
    if (scope->begin.guard == guard)
      return scope;
  return NULL;
}

dmd_scope_t *dmd_scopes_find_guard_of_others(const dmd_scopes_t *scopes, uint32_t thread,
                                             uint64_t guard, uint32_t *owner) {
  dmd_scope_t *scope = NULL;
  for (uint32_t t = 0; t < scopes->n_threads && scope == NULL; t++) {
    *owner = t;
    scope = t == thread ? NULL : dmd_scopes_find_guard(scopes, t, guard);
  }
  return scope;
}

void dmd_scopes_set_free(dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope) {
  scope->is_free = true;
  scopes->threads[thread].n_free++;
}

dmd_scope_t *dmd_scopes_move(dmd_scopes_t *scopes, uint32_t from, dmd_scope_t *scope, uint32_t to) {
  dmd_scope_t moved = *scope;
  dmd_scopes_remove(scopes, from, scope);
  dmd_scope_stack_t *stack = stack_of(scopes, to);
  open_scope(scopes, stack, moved);
  stack->n_free += moved.is_free;
  scopes->n_in_coroutines += moved.begin.in_coroutine;
  scopes->n_moved++;
  return &stack->open[stack->depth - 1];
}

void dmd_scopes_remove(dmd_scopes_t *scopes, uint32_t thread, dmd_scope_t *scope) {
  dmd_scope_stack_t *stack = &scopes->threads[thread];
  uint32_t i = (uint32_t)(scope - stack->open);
  uint32_t n = i + 1 < stack->depth && stack->open[i + 1].is_set ? 2 : 1;
  stack->n_free -= scope->is_free;
  scopes->n_in_coroutines -= scope->begin.in_coroutine;
  stack->depth -= n;
  scopes->n_open -= n;
  for (; i < stack->depth; i++)
    stack->open[i] = stack->open[i + n];
}

uint32_t dmd_scopes_name_in(const dmd_scopes_t *scopes, uint32_t thread, const dmd_scope_t *scope) {
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  uint32_t within = scope == NULL ? 0 : (uint32_t)(scope - stack->open) + 1;
  if (within < stack->depth && stack->open[within].is_set)
    return stack->open[within].name;
  return scope == NULL ? stack->base : scope->name;
}

uint32_t dmd_scopes_set(dmd_scopes_t *scopes, uint32_t thread, uint32_t name) {
  dmd_scope_stack_t *stack = stack_of(scopes, thread);
  if (top_is_set(stack))
    stack->open[stack->depth - 1].name = name;
  else
    open_scope(scopes, stack, (dmd_scope_t){.name = name, .is_set = true});
  return dmd_scopes_depth(scopes, thread);
}

void dmd_scopes_clear(dmd_scopes_t *scopes, uint32_t thread) {
  if (thread >= scopes->n_threads || !top_is_set(&scopes->threads[thread]))
    return;
  scopes->threads[thread].depth--;
  scopes->n_open--;
}

/* ---- Signal handlers. ---- */

void dmd_scopes_interrupt(dmd_scopes_t *scopes, uint32_t thread, uint64_t sp) {
  dmd_scope_stack_t *stack = stack_of(scopes, thread);
  dmd_scope_stack_t *outer = dmd_env_alloc(scopes->env, "dmd.scopes.interrupted", sizeof *outer);
  *outer = *stack;
  scopes->n_open -= outer->depth;
  *stack = (dmd_scope_stack_t){.base = outer->base, .interrupted = outer, .interrupted_sp = sp};
}

bool dmd_scopes_is_interrupted(const dmd_scopes_t *scopes, uint32_t thread) {
  return thread < scopes->n_threads && scopes->threads[thread].interrupted != NULL;
}

bool dmd_scopes_innermost_is_at(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp) {
  return dmd_scopes_is_interrupted(scopes, thread) && scopes->threads[thread].interrupted_sp == sp;
}

bool dmd_scopes_was_interrupted_at(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp) {
  const dmd_scope_stack_t *stack =
      dmd_scopes_is_interrupted(scopes, thread) ? &scopes->threads[thread] : NULL;
  while (stack != NULL && (stack->interrupted == NULL || stack->interrupted_sp != sp))
    stack = stack->interrupted;
  return stack != NULL;
}

/* A handler may run on a stack of its own, anywhere in memory. It counts as gone only if the stack
 * pointer is slightly above the interrupted one. */
bool dmd_scopes_handler_is_gone(const dmd_scopes_t *scopes, uint32_t thread, uint64_t sp) {
  return dmd_scopes_is_interrupted(scopes, thread) &&
         sp - scopes->threads[thread].interrupted_sp < max_stack_szB;
}

void dmd_scopes_resume(dmd_scopes_t *scopes, uint32_t thread) {
  dmd_scope_stack_t *stack = stack_of(scopes, thread);
  dmd_scope_stack_t *outer = stack->interrupted;
  dmd_env_free(scopes->env, stack->open);
  *stack = *outer;
  scopes->n_open += stack->depth;
  dmd_env_free(scopes->env, outer);
}

/* ---- Threads. ---- */

void dmd_scopes_start_thread(dmd_scopes_t *scopes, uint32_t thread, uint32_t base) {
  dmd_scopes_end_thread(scopes, thread);
  if (base == DMD_NONE)
    return;
  stack_of(scopes, thread)->base = base;
  scopes->n_open++;
}

void dmd_scopes_end_thread(dmd_scopes_t *scopes, uint32_t thread) {
  if (dmd_scopes_is_interrupted(scopes, thread))
    free_interrupted(scopes, &scopes->threads[thread]);
  uint32_t depth = dmd_scopes_depth(scopes, thread);
  if (depth == 0)
    return;
  scopes->n_in_coroutines -= count_in_coroutines(&scopes->threads[thread]);
  scopes->threads[thread].depth = scopes->threads[thread].n_free = 0;
  scopes->threads[thread].base = DMD_NONE;
  scopes->n_open -= depth;
}

uint32_t dmd_scopes_depth(const dmd_scopes_t *scopes, uint32_t thread) {
  if (thread >= scopes->n_threads)
    return 0;
  const dmd_scope_stack_t *stack = &scopes->threads[thread];
  return stack->depth + (stack->base != DMD_NONE);
}
