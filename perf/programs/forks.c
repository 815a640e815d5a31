/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * forks: processes that are made while other threads allocate.
 *
 *   forks FORKS      in all, by two threads; four others allocate and free all the while
 *
 * Each child allocates, reallocates and frees itself, and checks what it wrote. Ends with 1 where
 * one did not end well.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_ALLOCATING = 4, N_FORKING = 2 };

static atomic_bool g_is_over;
static atomic_int g_left, g_bad;

/* Whether each byte is what was written to it. */
static int is_full_of(const unsigned char *block, unsigned char what, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (block[i] != what)
      return 0;
  return 1;
}

static int use_blocks(unsigned seed) {
  size_t n = 16 + seed % 500;
  unsigned char what = (unsigned char)seed, *block = malloc(n);
  if (block == NULL)
    return 0;
  memset(block, what, n);
  unsigned char *moved = realloc(block, 3 * n);
  int good = moved != NULL && is_full_of(moved, what, n);
  free(moved);
  return good;
}

static void *allocate(void *arg) {
  for (unsigned i = 0; !g_is_over; i++)
    if (!use_blocks(i))
      g_bad++;
  return arg;
}

static void *fork_often(void *arg) {
  for (int i; (i = atomic_fetch_sub(&g_left, 1)) > 0;) {
    int status = 1;
    pid_t pid = fork();
    if (pid == 0)
      _exit(use_blocks((unsigned)i) ? 0 : 1);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
      g_bad++;
  }
  return arg;
}

int main(int argc, char **argv) {
  pthread_t threads[N_ALLOCATING + N_FORKING];
  if (argc != 2)
    return 2;
  g_left = atoi(argv[1]);
  for (int i = 0; i < N_ALLOCATING + N_FORKING; i++)
    if (pthread_create(&threads[i], NULL, i < N_ALLOCATING ? allocate : fork_often, NULL) != 0)
      return 1;
  for (int i = N_ALLOCATING; i < N_ALLOCATING + N_FORKING; i++)
    pthread_join(threads[i], NULL);
  g_is_over = true;
  for (int i = 0; i < N_ALLOCATING; i++)
    pthread_join(threads[i], NULL);
  printf("%d bad\n", g_bad);
  return g_bad == 0 ? 0 : 1;
}
