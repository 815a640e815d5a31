/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_altstack.h"

#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_real.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than the threshold for a separate mapping (pl_memory.h). The kernel writes up to 11 KiB. */
enum { STACK_SZB = 128 * 1024 };

static struct {
  bool is_on;
  dmd_lock_t lock; /* guards the free list, linked through the low ends of the stacks */
  void *unused;
} g_altstack;

static int set(const stack_t *stack, stack_t *before) {
  return (int)syscall(SYS_sigaltstack, stack, before);
}

static stack_t ours(const pl_thread_t *thread) {
  return (stack_t){.ss_sp = thread->altstack, .ss_size = STACK_SZB};
}

static void *take(void) {
  pl_lock_take(&g_altstack.lock);
  void *stack = g_altstack.unused;
  if (stack != NULL)
    g_altstack.unused = *(void **)stack;
  pl_lock_give(&g_altstack.lock);
  return stack != NULL ? stack : dmd_env_alloc(&g_env, "pl.altstack", STACK_SZB);
}

void pl_altstack_begin_thread(pl_thread_t *thread) {
  stack_t before;
  if (!g_altstack.is_on || thread->altstack != NULL || set(NULL, &before) != 0 ||
      (before.ss_flags & SS_DISABLE) == 0)
    return;
  thread->altstack = take();
  stack_t stack = ours(thread);
  set(&stack, NULL);
}

/* Keeps the stack if the thread is running on it. */
void pl_altstack_end_thread(pl_thread_t *thread) {
  static const stack_t none = {.ss_flags = SS_DISABLE};
  void *stack = thread->altstack;
  stack_t before;
  if (stack == NULL || set(NULL, &before) != 0 || (before.ss_sp == stack && set(&none, NULL) != 0))
    return;
  thread->altstack = NULL;
  pl_lock_take(&g_altstack.lock);
  *(void **)stack = g_altstack.unused;
  g_altstack.unused = stack;
  pl_lock_give(&g_altstack.lock);
}

void pl_altstack_start(void) {
  g_altstack.is_on = true;
  pl_altstack_begin_thread(pl_thread());
}

void pl_altstack_fork_begin(void) {
  pl_lock_take(&g_altstack.lock);
}

void pl_altstack_fork_end(void) {
  pl_lock_give(&g_altstack.lock);
}

/* ---- The replaced sigaltstack ---- */

__attribute__((visibility("default"))) int sigaltstack(const stack_t *stack, stack_t *before) {
  const pl_thread_t *thread = pl_thread();
  if (!pl_real_is_found())
    pl_real_find();
  if (thread->altstack == NULL)
    return g_real.sigaltstack(stack, before);
  const stack_t none = {.ss_flags = SS_DISABLE};
  stack_t again = ours(thread), had;
  bool is_none = stack != NULL && (stack->ss_flags & SS_DISABLE) != 0;
  int error = g_real.sigaltstack(is_none ? &again : stack, &had);
  if (error == 0 && before != NULL)
    *before = had.ss_sp == thread->altstack ? none : had;
  return error;
}

/* ---- Aside ---- */

enum { ASIDE_SZB = 1 << 18 }; /* large enough for a mapping of its own */

/* Lies at the low end of the stack. */
typedef struct {
  ucontext_t interrupted, own;
} aside_t;

void pl_aside_run(void (*what)(void)) {
  pl_thread_t *thread = pl_thread();
  bool is_in_handler = thread->interrupted != NULL;
  aside_t *aside = dmd_env_alloc(&g_env, "pl.aside", ASIDE_SZB);
  getcontext(&aside->own);
  aside->own.uc_stack.ss_sp = aside + 1;
  aside->own.uc_stack.ss_size = ASIDE_SZB - sizeof *aside;
  aside->own.uc_link = &aside->interrupted;
  makecontext(&aside->own, what, 0);
  if (!is_in_handler)
    thread->interrupted = &aside->interrupted;
  swapcontext(&aside->interrupted, &aside->own);
  if (!is_in_handler)
    thread->interrupted = NULL;
  dmd_env_free(&g_env, aside);
}
