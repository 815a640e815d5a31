/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * asked MODE: a program that receives requests while it waits for the end of its standard input. It
 * keeps 100 blocks of 1,000 bytes, of which it has reported 40. In all modes but `takes` it prints
 * at the end how many of them still have their contents.
 *
 * waits: it does nothing else.
 * deaf:  it resets the handlers of all signals and blocks all signals.
 * awaits: one thread waits for any signal, and all others block all.
 * takes: it has a handler of its own for signal 60, and prints how often it ran.
 * computes: it never waits, but allocates and frees until one of its threads has seen the end.
 * forks: like computes, but it forks instead.
 *
 * Flags: -pthread
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd.h>

enum { N_BLOCKS = 100, N_REPORTED = 40, BLOCK_SZB = 1000, TAKEN = 60 };

static unsigned char *g_blocks[N_BLOCKS];
static atomic_bool g_done;
static volatile sig_atomic_t g_taken;

__attribute__((noinline)) static void keep(void) {
  for (int i = 0; i < N_BLOCKS; i++) {
    g_blocks[i] = malloc(BLOCK_SZB);
    memset(g_blocks[i], i, BLOCK_SZB);
  }
  DMD_REPORTER_BEGIN("explicit/kept");
  size_t measured = 0;
  for (int i = 0; i < N_REPORTED; i++)
    measured += DMD_REPORT(g_blocks[i]);
  DMD_REPORTER_END(measured);
}

static int whole_blocks(void) {
  int n = 0;
  for (int i = 0; i < N_BLOCKS; i++) {
    int k = 0;
    while (k < BLOCK_SZB && g_blocks[i][k] == i)
      k++;
    n += k == BLOCK_SZB;
  }
  return n;
}

static void *wait_for_end(void *unused) {
  char c;
  while (read(STDIN_FILENO, &c, 1) != 0)
    continue;
  atomic_store(&g_done, true);
  return unused;
}

static void block_all(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void *await_signals(void *unused) {
  sigset_t all;
  int number;
  sigfillset(&all);
  while (sigwait(&all, &number) == 0)
    printf("signal %d\n", number);
  return unused;
}

static void take(int number) {
  (void)number;
  g_taken++;
}

static void fork_once(void) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  while (waitpid(child, NULL, 0) != child)
    continue;
}

int main(int argc, char **argv) {
  const char *mode = argc == 2 ? argv[1] : "";
  pthread_t thread;
  keep();
  if (strcmp(mode, "deaf") == 0) {
    for (int i = 1; i < NSIG; i++)
      signal(i, SIG_DFL);
    block_all();
  } else if (strcmp(mode, "awaits") == 0) {
    block_all();
    pthread_create(&thread, NULL, await_signals, NULL);
  } else if (strcmp(mode, "takes") == 0) {
    struct sigaction action = {.sa_handler = take};
    sigaction(TAKEN, &action, NULL);
  }
  puts("ready");
  fflush(stdout);
  if (strcmp(mode, "computes") == 0 || strcmp(mode, "forks") == 0) {
    pthread_create(&thread, NULL, wait_for_end, NULL);
    while (!atomic_load(&g_done))
      if (mode[0] == 'f')
        fork_once();
      else
        free(malloc(24));
    pthread_join(thread, NULL);
  } else {
    wait_for_end(NULL);
  }
  if (strcmp(mode, "takes") == 0)
    printf("taken %d\n", (int)g_taken);
  else
    printf("whole %d\n", whole_blocks());
  return 0;
}
