/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_thread.h"

#include "preload/pl_altstack.h"
#include "preload/pl_event.h"
#include "preload/pl_memory.h"
#include "preload/pl_real.h"
#include "preload/pl_stack.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

_Thread_local pl_thread_t g_thread __attribute__((tls_model("initial-exec")));

/* ---- Numbers. Under the engine lock. ---- */

enum { MAX_THREADS = 32768 };

static unsigned char g_taken[MAX_THREADS]; /* by number; 0 and what there is no room for: nobody */
static volatile uint32_t g_count;

/* Those that there is no room for share the last one. */
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

/* ---- The end of a thread. ---- */

static pthread_key_t g_key;

/* Other keys' destructors may allocate, and come after this one; so the last round is waited for.
 */
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

extern void *__libc_stack_end; /* of the loader: the first thread's */

/* It grows as far as the user lets it; what is far below may be something else. */
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

/* ---- The beginning of a thread. ---- */

/* What a new thread is to do, and who it is. */
typedef struct {
  void *(*function)(void *);
  void *argument;
  uint32_t number;
  size_t stack_szB;
} errand_t;

/* The C library has what it knows of a thread at the end of its stack. */
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

/* The number is given out before the thread runs, and told the engine, as under Valgrind. */
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
