/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stopped: threads that each hold the only pointer to a block of their own, while they wait or
 * compute in different ways, until standard input ends. Blocks have 1,000 bytes plus the number of
 * the place that holds the pointer:
 *
 *   1 a register of a thread that never calls anything
 *   2 the stack of a thread that waits for a lock
 *   3 the stack of a thread that blocks all signals
 *   4 thread-local storage
 *   5 the stack of a thread that runs on a stack which it made itself
 *   6 the stack of a thread that blocks all signals by a raw system call, with the argument `deaf`
 *   7 the first thread's stack
 *   8 nothing
 *
 * Flags: -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SZB = 1000, STACK_SZB = 1 << 16 };

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t g_all_there;
static volatile int g_done;
static __thread void *g_thread_local;

__attribute__((noinline)) static void *hold(int number) {
  return malloc((size_t)(SZB + number));
}

/* Overwrites the stack below the caller's frame. */
__attribute__((noinline)) static void wipe(void) {
  volatile char below[16384];
  memset((void *)below, 0, sizeof below);
}

static void wait_locked(void) {
  wipe();
  pthread_barrier_wait(&g_all_there);
  pthread_mutex_lock(&g_lock);
  pthread_mutex_unlock(&g_lock);
}

static void *in_register(void *unused) {
  pthread_barrier_wait(&g_all_there);
#if defined(__x86_64__)
  void *block = hold(1);
  wipe();
  __asm__ volatile("mov %0, %%rbx\n"
                   "xor %0, %0\n"
                   "1: pause\n"
                   "cmpl $0, %1\n"
                   "je 1b\n"
                   : "+r"(block)
                   : "m"(g_done)
                   : "rbx");
#elif defined(__aarch64__)
  void *block = hold(1);
  wipe();
  __asm__ volatile("mov x19, %0\n"
                   "mov %0, xzr\n"
                   "1: yield\n"
                   "ldr w9, [%1]\n"
                   "cbz w9, 1b\n"
                   : "+r"(block)
                   : "r"(&g_done)
                   : "x9", "x19", "memory");
#endif
  return unused;
}

static void *on_stack(void *unused) {
  void *volatile block = hold(2);
  wait_locked();
  (void)block;
  return unused;
}

static void *with_signals_blocked(void *unused) {
  sigset_t all;
  void *volatile block = hold(3);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  wait_locked();
  (void)block;
  return unused;
}

static void *in_thread_local(void *unused) {
  g_thread_local = hold(4);
  wait_locked();
  return unused;
}

static void run_elsewhere(void) {
  void *volatile block = hold(5);
  wait_locked();
  (void)block;
}

static void *on_other_stack(void *unused) {
  static ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp =
      mmap(NULL, STACK_SZB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  there.uc_stack.ss_size = STACK_SZB;
  there.uc_link = &here;
  makecontext(&there, run_elsewhere, 0);
  swapcontext(&here, &there);
  return unused;
}

static void *deaf(void *unused) {
  uint64_t all = UINT64_MAX;
  void *volatile block = hold(6);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
  wait_locked();
  (void)block;
  return unused;
}

int main(int argc, char **argv) {
  static void *(*const run[])(void *) = {in_register,     on_stack,       with_signals_blocked,
                                         in_thread_local, on_other_stack, deaf};
  pthread_t threads[6];
  int n = argc > 1 && strcmp(argv[1], "deaf") == 0 ? 6 : 5;
  void *volatile block = hold(7);
  pthread_mutex_lock(&g_lock);
  pthread_barrier_init(&g_all_there, NULL, (unsigned)n + 1);
  for (int i = 0; i < n; i++)
    pthread_create(&threads[i], NULL, run[i], NULL);
  hold(8);
  wipe();
  pthread_barrier_wait(&g_all_there);
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF)
    continue;
  (void)block;
  g_done = 1;
  pthread_mutex_unlock(&g_lock);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
