/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_aside.h"

#include "native/pl_memory.h"
#include "native/pl_state.h"

enum { STACK_SZB = 1 << 18 }; /* large enough for a mapping of its own */

/* Lies at the low end of the stack. */
typedef struct {
  ucontext_t interrupted, own;
} aside_t;

void pl_aside_run(void (*what)(void)) {
  pl_thread_t *thread = pl_thread();
  bool is_in_handler = thread->interrupted != NULL;
  aside_t *aside = dmd_env_alloc(&g_env, "pl.aside", STACK_SZB);
  getcontext(&aside->own);
  aside->own.uc_stack.ss_sp = aside + 1;
  aside->own.uc_stack.ss_size = STACK_SZB - sizeof *aside;
  aside->own.uc_link = &aside->interrupted;
  makecontext(&aside->own, what, 0);
  if (!is_in_handler)
    thread->interrupted = &aside->interrupted;
  swapcontext(&aside->interrupted, &aside->own);
  if (!is_in_handler)
    thread->interrupted = NULL;
  dmd_env_free(&g_env, aside);
}
