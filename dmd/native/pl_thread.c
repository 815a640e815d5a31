/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_thread.h"

#include "native/pl_altstack.h"
#include "native/pl_event.h"
#include "native/pl_memory.h"
#include "native/pl_real.h"
#include "native/pl_stack.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

_Thread_local pl_thread_t g_thread __attribute__((tls_model("initial-exec")));

/* ---- Numbers (under the engine lock) ---- */

enum { MAX_THREADS = 32768 };

static unsigned char g_taken[MAX_THREADS]; /* by number; 0 is never given out */
static volatile uint32_t g_count;

/* Threads beyond the limit share the last number. */
static uint32_t take_number(void) {
  uint32_t number = 1;
  while (number < MAX_THREADS - 1 && g_taken[number])
    number++;
  g_taken[number] = 1;
  g_count++;
  return number;
}

static void give_number_back(uint32_t number) {
  g_taken[number] = 0;
  g_count--;
}

uint32_t pl_thread_count(void) {
  return g_count;
}

/* ---- The end of a thread ---- */

static pthread_key_t g_key;

/* Destructors of other keys may allocate and run after this one, so it does its work in the last
 * round. */
static void end_thread(void *rounds) {
  pl_thread_t *thread = pl_thread();
  uintptr_t round = (uintptr_t)rounds;
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(g_key, (void *)(round + 1)) == 0)
    return;
  if (!pl_enter(thread, NULL, false))
    return;
  dmd_engine_end_thread(&g_engine, thread->number);
  give_number_back(thread->number);
  pl_stack_end_thread(thread);
  pl_altstack_end_thread(thread);
  pl_leave(thread);
}

static void wait_for_end(void) {
  pthread_setspecific(g_key, (void *)1);
}

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
  note_first_stack(pl_thread());
  pthread_key_create(&g_key, end_thread);
  pl_thread_number(pl_thread());
}

void pl_thread_number(pl_thread_t *thread) {
  thread->number = take_number();
  dmd_engine_start_thread(&g_engine, DMD_NONE, thread->number);
  wait_for_end();
}

void pl_thread_forked(const pl_thread_t *thread) {
  for (uint32_t i = 1; i < MAX_THREADS; i++)
    g_taken[i] = i == thread->number;
  g_count = 1;
}

/* ---- The start of a thread ---- */

/* A new thread's start function, and its number. */
typedef struct {
  void *(*function)(void *);
  void *argument;
  uint32_t number;
  size_t stack_szB;
} errand_t;

/* The C library keeps its thread descriptor at the end of the thread's stack. */
static void note_stack(pl_thread_t *thread, size_t szB) {
  uint64_t here = (uint64_t)__builtin_frame_address(0), high = (uint64_t)pthread_self();
  if (high < here || high - here >= szB)
    return;
  thread->stack_high = high / sizeof(void *) * sizeof(void *);
  thread->stack_low = high - szB;
}

static void *run_thread(void *p) {
  errand_t errand = *(errand_t *)p;
  pl_thread_t *thread = pl_thread();
  thread->inside = true;
  dmd_env_free(&g_env, p);
  thread->number = errand.number;
  note_stack(thread, errand.stack_szB);
  pl_altstack_begin_thread(thread);
  wait_for_end();
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

/* The number is assigned, and reported to the engine, before the thread runs, as under Valgrind. */
static errand_t *prepare(const pthread_attr_t *attributes, void *(*function)(void *),
                         void *argument) {
  pl_thread_t *thread = pl_thread();
  size_t stack_szB = stack_size(attributes);
  if (!pl_enter(thread, NULL, false))
    return NULL;
  errand_t *errand = dmd_env_alloc(&g_env, "pl.thread", sizeof *errand);
  *errand = (errand_t){
      .function = function, .argument = argument, .number = take_number(), .stack_szB = stack_szB};
  dmd_engine_start_thread(&g_engine, thread->number, errand->number);
  pl_leave(thread);
  return errand;
}

static void take_back(errand_t *errand) {
  pl_thread_t *thread = pl_thread();
  if (!pl_enter(thread, NULL, false))
    return;
  dmd_engine_end_thread(&g_engine, errand->number);
  give_number_back(errand->number);
  dmd_env_free(&g_env, errand);
  pl_leave(thread);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*function)(void *),
                                                          void *argument) {
  if (!pl_real_is_found())
    pl_real_find();
  errand_t *errand = prepare(attributes, function, argument);
  if (errand == NULL)
    return g_real.pthread_create(thread, attributes, function, argument);
  int error = g_real.pthread_create(thread, attributes, run_thread, errand);
  if (error != 0)
    take_back(errand);
  return error;
}
