/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program that starts other programs in every way, while its threads allocate. It keeps a block
 * after each, of 1,000 bytes plus its number. The contents of the blocks are read back at the end.
 *
 * Flags: -O1 -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SZB = 1000, N_WAYS = 7, N_THREADS = 3, ROUNDS = 4 };

extern char **environ;

static unsigned char *g_kept[ROUNDS * N_WAYS];
static atomic_bool g_done;

static void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  _exit(9);
}

static void expect(pid_t pid, int expected) {
  int status;
  if (pid <= 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
      WEXITSTATUS(status) != expected)
    die("a child did not end as it should");
}

static void by_posix_spawn(void) {
  char *arguments[] = {"sh", "-c", "exit 3", NULL};
  pid_t pid;
  if (posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) != 0)
    die("posix_spawn");
  expect(pid, 3);
}

static void by_posix_spawn_of_nothing(void) {
  char *arguments[] = {"nothing", NULL};
  pid_t pid;
  if (posix_spawnp(&pid, "/no/such/program", NULL, NULL, arguments, environ) == 0)
    die("it was started");
}

static void by_system(void) {
  if (WEXITSTATUS(system("exit 4")) != 4)
    die("system");
}

static void by_popen(void) {
  char line[20];
  FILE *from = popen("echo here", "r");
  if (from == NULL || fgets(line, sizeof line, from) == NULL || strcmp(line, "here\n") != 0 ||
      pclose(from) != 0)
    die("popen");
}

static void by_vfork(void) {
  pid_t pid = vfork();
  if (pid == 0)
    _exit(5);
  expect(pid, 5);
}

static void by_vfork_and_exec(void) {
  pid_t pid = vfork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
    _exit(1);
  }
  expect(pid, 6);
}

static void by_vfork_and_exec_of_nothing(void) {
  pid_t pid = vfork();
  if (pid == 0) {
    execl("/no/such/program", "nothing", (char *)NULL);
    _exit(7);
  }
  expect(pid, 7);
}

static void (*const g_ways[N_WAYS])(void) = {
    by_posix_spawn,    by_posix_spawn_of_nothing,   by_system, by_popen, by_vfork,
    by_vfork_and_exec, by_vfork_and_exec_of_nothing};

__attribute__((noinline)) static void keep(int number) {
  g_kept[number] = malloc((size_t)(SZB + number));
  memset(g_kept[number], number, (size_t)(SZB + number));
}

static void read_back(void) {
  for (int k = 0; k < ROUNDS * N_WAYS; k++)
    for (int i = 0; i < SZB + k; i++)
      if (g_kept[k][i] != k)
        die("a block has not what was written to it");
}

static void *allocate(void *unused) {
  while (!atomic_load(&g_done)) {
    char *volatile block = malloc(300);
    block = realloc(block, 5000);
    free(block);
  }
  return unused;
}

int main(void) {
  pthread_t threads[N_THREADS];
  for (int i = 0; i < N_THREADS; i++)
    pthread_create(&threads[i], NULL, allocate, NULL);
  for (int i = 0; i < ROUNDS * N_WAYS; i++) {
    g_ways[i % N_WAYS]();
    keep(i);
  }
  atomic_store(&g_done, true);
  for (int i = 0; i < N_THREADS; i++)
    pthread_join(threads[i], NULL);
  read_back();
  return 0;
}
