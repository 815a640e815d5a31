/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * deadly HOW [NUMBER]: a program that ends by a signal while it keeps a block, or that prints the
 * state of its signals.
 *
 * raise:    it sends itself this signal.
 * segv, fpe, trap: it crashes.
 * heap:     its allocator detects a corrupted heap while it holds its own lock.
 * overflow: it calls itself until its stack is full; overflow-in-thread: in a thread.
 * handled:  its own handler for the signal sets the default back, and sends it again.
 * child, vfork-child: a child is ended by the signal, and it exits normally.
 * waits:    it keeps a thousand more blocks, of as many sizes, prints `ready`, and allocates in
 *           four threads until it is killed; a thread ends it with status 3 when input arrives
 *           on its standard input.
 * shows:    it prints the handlers and alternate stacks that it sees.
 *
 * Flags: -pthread -fno-omit-frame-pointer
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile g_kept, *volatile g_other;

__attribute__((noinline)) static void kept_block(void) {
  g_kept = malloc(123);
}

__attribute__((noinline)) static void child_block(void) {
  g_other = malloc(789);
}

/* ---- Ways to crash. ---- */

__attribute__((noinline)) static int overflow(int depth) {
  volatile char much[4096];
  much[depth % 4096] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + much[(depth + 1) % 4096];
}

static void *overflow_in_thread(void *unused) {
  (void)unused;
  g_other = (void *)(size_t)overflow(1);
  return NULL;
}

static void spoil_heap(void) {
  g_other = malloc(3000);
  ((size_t *)g_other)[-1] = 12345; /* its size, for the C library's allocator */
  free(g_other);
}

static void crash(const char *how) {
  pthread_t thread;
#if defined(__x86_64__)
  static volatile int one = 1, zero;
#endif
  if (strcmp(how, "segv") == 0)
    *(volatile int *)8 = 1;
  else if (strcmp(how, "fpe") == 0)
#if defined(__x86_64__)
    zero = one / zero;
#else
    raise(SIGFPE); /* arm64 divides by zero */
#endif
  else if (strcmp(how, "trap") == 0)
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    __asm__ volatile("brk #0");
#endif
  else if (strcmp(how, "heap") == 0)
    spoil_heap();
  else if (strcmp(how, "overflow") == 0)
    overflow_in_thread(NULL);
  else if (pthread_create(&thread, NULL, overflow_in_thread, NULL) == 0)
    pthread_join(thread, NULL);
}

static void again(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static int in_child(const char *how, int number) {
  int status;
  bool is_vfork = strcmp(how, "vfork-child") == 0;
  pid_t pid = is_vfork ? vfork() : fork();
  if (pid == 0) {
    if (!is_vfork)
      child_block();
    raise(number);
    _exit(99);
  }
  return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == number ? 0
                                                                                              : 1;
}

/* /* ---- Waiting. ---- */

static void *work(void *unused) {
  for (;;) {
    void *volatile block = malloc(256 + (size_t)rand() % 64);
    free(block);
  }
  return unused;
}

static void keep_many(void) {
  static void *volatile kept[1000];
  for (size_t i = 0; i < 1000; i++)
    kept[i] = malloc(1000 + i);
}

static void *wait_for_input(void *unused) {
  char c;
  if (read(STDIN_FILENO, &c, 1) == 1)
    exit(3);
  return unused;
}

static void wait_for_signal(void) {
  pthread_t thread;
  keep_many();
  pthread_create(&thread, NULL, wait_for_input, NULL);
  for (int i = 0; i < 4; i++)
    pthread_create(&thread, NULL, work, NULL);
  puts("ready");
  fflush(stdout);
  for (;;)
    pause();
}

/* ---- The visible state. ---- */

static void own(int number) {
  (void)number;
}

static const char *name(void (*handler)(int)) {
  return handler == SIG_DFL   ? "default"
         : handler == SIG_IGN ? "ignored"
         : handler == own     ? "own"
         : handler == SIG_ERR ? "error"
                              : "another";
}

static void show_action(int number, const struct sigaction *action) {
  struct sigaction before = {.sa_handler = own};
  int error = sigaction(number, action, &before);
  printf(" %d %s %d", error, name(before.sa_handler), (before.sa_flags & SA_SIGINFO) != 0);
}

static void show_signal(int number) {
  const struct sigaction mine = {.sa_handler = own}, none = {.sa_handler = SIG_DFL};
  printf("%d:", number);
  show_action(number, NULL);
  show_action(number, &none);
  show_action(number, &mine);
  show_action(number, &none);
  show_action(number, NULL);
  printf(" %s", name(signal(number, own)));
  printf(" %s", name(signal(number, SIG_DFL)));
  printf(" %s", name(sysv_signal(number, SIG_DFL)));
  printf(" %s", name(sigset(number, own)));
  printf(" %s", name(sigset(number, SIG_DFL)));
  printf(" %s\n", name(ssignal(number, SIG_DFL)));
}

static void show_stack(const stack_t *stack) {
  stack_t before = {.ss_flags = -1};
  int error = sigaltstack(stack, &before);
  printf("stack: %d %d %d %zu\n", error, before.ss_flags, before.ss_sp != NULL, before.ss_size);
}

static void *show_stacks(void *unused) {
  static char room[1 << 16];
  const stack_t mine = {.ss_sp = room, .ss_size = sizeof room}, none = {.ss_flags = SS_DISABLE};
  const stack_t small = {.ss_sp = room, .ss_size = 1};
  show_stack(NULL);
  show_stack(&small);
  show_stack(&mine);
  show_stack(&none);
  show_stack(&none);
  show_stack(NULL);
  return unused;
}

static void show(void) {
  pthread_t thread;
  for (int number = 0; number <= SIGRTMAX + 1; number++)
    show_signal(number);
  show_stacks(NULL);
  pthread_create(&thread, NULL, show_stacks, NULL);
  pthread_join(thread, NULL);
  fflush(stdout);
  if (fork() == 0)
    execl("/bin/grep", "grep", "-e", "^Sig[PBIC]", "/proc/self/status", (char *)NULL);
  wait(NULL);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int number = argc > 2 ? atoi(argv[2]) : 0, status = 0;
  kept_block();
  if (strcmp(how, "shows") == 0)
    show();
  else if (strcmp(how, "waits") == 0)
    wait_for_signal();
  else if (strcmp(how, "child") == 0 || strcmp(how, "vfork-child") == 0)
    status = in_child(how, number);
  else if (strcmp(how, "handled") == 0)
    signal(number, again);
  else if (strcmp(how, "raise") != 0)
    crash(how);
  if (strcmp(how, "raise") == 0 || strcmp(how, "handled") == 0)
    raise(number);
  return status;
}
