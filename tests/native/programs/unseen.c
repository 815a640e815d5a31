/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that the engine does not see begin, since the C library's own pthread_create makes them:
 * 5 that allocate and free all at once, in the same memory. Each keeps 50 blocks of 1000 bytes.
 *
 *   unseen threads            in a process that had one thread before
 *   unseen fork               likewise; while they wait, a child allocates, alone and then with
 *                             threads of its own
 *   unseen loading LIBRARY    in the constructor of a library, which is this file with -DLIBRARY
 * Flags: -pthread
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 5, KEPT = 50, ROUNDS = 8000, BLOCKS = 16 };

typedef int create_t(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void *g_kept[4 * THREADS * KEPT];
static unsigned g_n_kept, g_n_done;
static pthread_barrier_t g_begin, g_end;

static void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  _exit(9);
}

__attribute__((noinline)) static void keep(void) {
  g_kept[__atomic_fetch_add(&g_n_kept, 1, __ATOMIC_RELAXED)] = malloc(1000);
}

static void work(void) {
  unsigned char *block[BLOCKS] = {NULL};
  for (int i = 0; i < KEPT * ROUNDS; i++) {
    size_t szB = 16 + (size_t)i % 80;
    unsigned char **at = &block[i % BLOCKS];
    if (*at != NULL && **at != (unsigned char)(i - BLOCKS))
      die("a block has not what was written to it");
    free(*at);
    *at = malloc(szB);
    memset(*at, i, szB);
    if (i % ROUNDS == 0)
      keep();
  }
  for (int i = 0; i < BLOCKS; i++)
    free(block[i]);
}

static void *run(void *unused) {
  pthread_barrier_wait(&g_begin);
  work();
  __atomic_fetch_add(&g_n_done, 1, __ATOMIC_RELEASE);
  pthread_barrier_wait(&g_end);
  return unused;
}

static void begin(pthread_t *threads) {
  void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  create_t *create = libc == NULL ? NULL : (create_t *)dlsym(libc, "pthread_create");
  if (create == NULL || create == pthread_create)
    die("there is no other pthread_create");
  pthread_barrier_init(&g_begin, NULL, THREADS);
  pthread_barrier_init(&g_end, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    if (create(&threads[i], NULL, run, NULL) != 0)
      die("no thread");
}

static void end(pthread_t *threads) {
  pthread_barrier_wait(&g_end);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

#ifdef LIBRARY

__attribute__((constructor)) static void load(void) {
  pthread_t threads[THREADS];
  begin(threads);
  work();
  end(threads);
}

#else

/* Here all threads of the parent have done their work, but not ended; in the child there is one. */
static void split(void) {
  pthread_t threads[THREADS];
  int status;
  while (__atomic_load_n(&g_n_done, __ATOMIC_ACQUIRE) < THREADS)
    sched_yield();
  pid_t pid = fork();
  if (pid == 0) {
    work();
    begin(threads);
    end(threads);
    exit(0);
  }
  if (waitpid(pid, &status, 0) != pid || status != 0)
    die("the child did not end well");
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  mallopt(M_ARENA_MAX, 1);
  if (argc == 3) {
    if (dlopen(argv[2], RTLD_NOW) == NULL)
      die(dlerror());
    return 0;
  }
  begin(threads);
  if (argc == 2 && strcmp(argv[1], "fork") == 0)
    split();
  else
    work();
  end(threads);
  return 0;
}

#endif
