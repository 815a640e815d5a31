/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_thread.h"

#include "native/pl_altstack.h"
#include "native/pl_enter.h"
#include "native/pl_memory.h"
#include "native/pl_real.h"
#include "native/pl_stack.h"
#include "record/engine/mapping.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- The end of a thread ---- */

static void end_thread(pl_thread_t *thread) {
  if (!pl_enter(thread, NULL))
    return;
  thread->stack = DMD_NONE;
  pl_lock();
  dmd_engine_end_thread(&g_engine, thread->number);
  pl_number_give_back(thread->number);
  pl_stack_end_thread(thread);
  pl_altstack_end_thread(thread);
  pl_unlock(thread);
  pl_leave(thread);
}

/* ---- The first thread ---- */

extern void *__libc_stack_end; /* from the loader: the end of the first thread's stack */

/* The first stack grows up to the user's limit. Memory far below it may be something else. */
static void note_first_stack(pl_thread_t *thread) {
  enum { MOST_SZB = 1 << 26 };
  struct rlimit limit;
  uint64_t szB = MOST_SZB;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < szB)
    szB = limit.rlim_cur;
  thread->stack_high = (uint64_t)__libc_stack_end;
  thread->stack_low = thread->stack_high - szB;
}

void pl_thread_start(void) {
  if (gettid() == getpid())
    note_first_stack(pl_thread());
  pl_numbers_start(end_thread);
}

/* ---- The start of a thread ---- */

/* A new thread's start function, and its number. */
typedef struct {
  void *(*function)(void *);
  void *argument;
  uint32_t number;
  uint32_t start; /* the engine's start that gave the number */
  size_t stack_szB;
  bool is_stack_given; /* by the program */
  uint32_t creator;    /* the stack of pthread_create's caller */
} errand_t;

/* The C library keeps its thread descriptor at the end of the thread's stack. */
static void note_stack(pl_thread_t *thread, size_t szB) {
  uint64_t here = (uint64_t)__builtin_frame_address(0), high = (uint64_t)pthread_self();
  if (high < here || high - here >= szB)
    return;
  thread->stack_high = high / sizeof(void *) * sizeof(void *);
  thread->stack_low = high - szB;
}

static void map_stack(const pl_thread_t *thread, const errand_t *errand) {
  if (errand->is_stack_given || thread->stack_high == 0 || g_state != PL_WATCHING)
    return;
  dmd_engine_map_stack(&g_engine, errand->number, thread->stack_high,
                       thread->stack_high - thread->stack_low, errand->creator);
}

static void *run_thread(void *p) {
  errand_t errand = *(errand_t *)p;
  pl_thread_t *thread = pl_thread();
  thread->inside = true;
  dmd_env_free(&g_env, p);
  note_stack(thread, errand.stack_szB);
  pl_altstack_begin_thread(thread);
  if (errand.start == g_start && g_state == PL_WATCHING) { /* not detached meanwhile */
    pl_number_own(thread, errand.number);
    pl_lock();
    map_stack(thread, &errand);
    pl_unlock_same(thread);
  }
  thread->inside = false;
  return errand.function(errand.argument);
}

static size_t stack_size(const pthread_attr_t *attributes) {
  pthread_attr_t usual;
  size_t szB = 0;
  if (attributes == NULL) {
    pthread_attr_init(&usual);
    attributes = &usual;
  }
  return pthread_attr_getstacksize(attributes, &szB) == 0 ? szB : 0;
}

static bool is_stack_given(const pthread_attr_t *attributes) {
  void *stack = NULL;
  size_t szB = 0;
  return attributes != NULL && pthread_attr_getstack(attributes, &stack, &szB) == 0 &&
         (uintptr_t)stack + szB != 0;
}

/* The number is assigned, and reported to the engine, before the thread runs, as under Valgrind. */
static errand_t *prepare(const pl_entry_t *entry, const pthread_attr_t *attributes,
                         void *(*function)(void *), void *argument) {
  pl_thread_t *thread = pl_thread();
  size_t stack_szB = stack_size(attributes);
  if (!pl_enter(thread, entry))
    return NULL;
  errand_t *errand = dmd_env_alloc(&g_env, "pl.thread", sizeof *errand);
  pl_lock_with_stack(thread);
  *errand = (errand_t){.function = function,
                       .argument = argument,
                       .number = pl_number_take(),
                       .start = g_start,
                       .stack_szB = stack_szB,
                       .is_stack_given = is_stack_given(attributes),
                       .creator = dmd_engine_capture(&g_engine, thread->number)};
  dmd_engine_start_thread(&g_engine, thread->number, errand->number);
  pl_unlock(thread);
  pl_leave(thread);
  return errand;
}

static void take_back(errand_t *errand) {
  pl_thread_t *thread = pl_thread();
  if (!pl_enter(thread, NULL))
    return;
  thread->stack = DMD_NONE;
  pl_lock();
  dmd_engine_end_thread(&g_engine, errand->number);
  pl_number_give_back(errand->number);
  pl_unlock(thread);
  dmd_env_free(&g_env, errand);
  pl_leave(thread);
}

int pl_thread_create(const pl_entry_t *entry, pthread_t *thread, const pthread_attr_t *attributes,
                     void *(*function)(void *), void *argument) {
  errand_t *errand = prepare(entry, attributes, function, argument);
  if (errand == NULL)
    return g_real.pthread_create(thread, attributes, function, argument);
  int error = g_real.pthread_create(thread, attributes, run_thread, errand);
  if (error != 0)
    take_back(errand);
  return error;
}
