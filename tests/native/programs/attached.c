/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * attached BEFORE [HOW]: a program that the engine is attached to. It makes BEFORE blocks,
 * prints `ready`, and works whenever it reads a byte: it keeps and releases blocks, and prints
 * `worked`. Half of the blocks from before are freed at the first work, and the others reallocated.
 * At the end of its input it prints how many of the kept blocks still have their contents.
 *
 * It uses no stream, whose buffer would be a block from before in one run and a recorded one in
 * another.
 *
 * computes: meanwhile two more threads allocate and free all the time.
 * deaf: the same, and they block all signals.
 * alone: the only thread does that until there is input, and adds up what is in the blocks.
 *
 * Flags: -pthread
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  N_KEPT = 200,
  KEPT_SZB = 300,
  N_PASSING = 100,
  PASSING_SZB = 5000,
  N_GROWN = 10,
  GROWN_SZB = 7000,
  MOST = 1000
};
enum { BEFORE_SZB = 1000, LATER_SZB = 3000, N_BUSY = 2 };

static unsigned char *g_before[MOST], *g_kept[N_KEPT], *g_grown[N_GROWN];
static atomic_bool g_done;
static volatile unsigned g_sum;

static void say(const char *line) {
  if (write(STDOUT_FILENO, line, strlen(line)) < 0)
    exit(1);
}

__attribute__((noinline)) static void keep(void) {
  for (int i = 0; i < N_KEPT; i++) {
    free(g_kept[i]);
    g_kept[i] = malloc(KEPT_SZB);
    memset(g_kept[i], i, KEPT_SZB);
  }
}

__attribute__((noinline)) static void pass(void) {
  void *blocks[N_PASSING];
  for (int i = 0; i < N_PASSING; i++)
    blocks[i] = calloc(1, PASSING_SZB);
  for (int i = 0; i < N_PASSING; i++)
    free(blocks[i]);
}

__attribute__((noinline)) static void grow(void) {
  for (int i = 0; i < N_GROWN; i++)
    for (size_t szB = 1; szB <= GROWN_SZB; szB += 1000)
      g_grown[i] = realloc(g_grown[i], szB);
}

__attribute__((noinline)) static void outgrow(int n_before) {
  for (int i = 0; i < n_before; i++)
    if (i % 2 == 0) {
      free(g_before[i]);
    } else {
      g_before[i] = realloc(g_before[i], LATER_SZB);
      for (int k = 0; k < BEFORE_SZB; k++)
        if (g_before[i][k] != (unsigned char)i)
          exit(1);
    }
}

static void work(void) {
  keep();
  pass();
  grow();
}

static void *compute(void *unused) {
  enum { N = 64 };
  void *blocks[N] = {NULL};
  for (unsigned i = 0; !atomic_load(&g_done); i++) {
    free(blocks[i % N]);
    blocks[i % N] = i % 3 == 0 ? realloc(NULL, 100 + i % 1000) : malloc(1 + i % 5000);
  }
  for (int i = 0; i < N; i++)
    free(blocks[i]);
  return unused;
}

static void compute_until_input(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  enum { N = 64, TURNS = 100000 };
  void *blocks[N] = {NULL};
  while (poll(&input, 1, 0) == 0)
    for (unsigned i = 0; i < TURNS; i++) {
      free(blocks[i % N]);
      size_t szB = 2000 + i % 7000;
      blocks[i % N] = memset(malloc(szB), 1, szB);
      for (size_t k = 0; k < szB; k++)
        g_sum += ((unsigned char *)blocks[i % N])[k];
    }
  for (int i = 0; i < N; i++)
    free(blocks[i]);
}

static void start_busy(pthread_t *busy, bool is_deaf) {
  sigset_t all, before;
  sigfillset(&all);
  if (is_deaf)
    pthread_sigmask(SIG_BLOCK, &all, &before);
  for (int i = 0; i < N_BUSY; i++)
    pthread_create(&busy[i], NULL, compute, NULL);
  if (is_deaf)
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int count_whole(void) {
  int n = 0;
  for (int i = 0; i < N_KEPT; i++) {
    int k = 0;
    while (g_kept[i] != NULL && k < KEPT_SZB && g_kept[i][k] == (unsigned char)i)
      k++;
    n += k == KEPT_SZB;
  }
  return n;
}

int main(int argc, char **argv) {
  const char *how = argc > 2 ? argv[2] : "";
  int n_before = atoi(argv[1]);
  bool is_deaf = strcmp(how, "deaf") == 0, is_busy = is_deaf || strcmp(how, "computes") == 0;
  pthread_t busy[N_BUSY];
  char c, line[64];
  bool is_first = true;
  for (int i = 0; i < n_before; i++)
    g_before[i] = memset(malloc(BEFORE_SZB), i, BEFORE_SZB);
  if (is_busy)
    start_busy(busy, is_deaf);
  say("ready\n");
  if (strcmp(how, "alone") == 0)
    compute_until_input();
  while (read(STDIN_FILENO, &c, 1) == 1) {
    work();
    if (is_first)
      outgrow(n_before);
    is_first = false;
    say("worked\n");
  }
  atomic_store(&g_done, true);
  for (int i = 0; is_busy && i < N_BUSY; i++)
    pthread_join(busy[i], NULL);
  snprintf(line, sizeof line, "whole %d\n", count_whole());
  say(line);
  return 0;
}
