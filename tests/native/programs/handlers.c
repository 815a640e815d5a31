/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Signal handlers that allocate and free, at any moment, in threads that do the same, with an
 * allocator that allows it (bump.c). At the end it prints how many blocks of each kind are left.
 * Flags: -pthread
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 20000, THREADS = 3, KEPT_EVERY = 64 };

static atomic_long in_handlers, kept_in_handlers;
static atomic_int n_finished;
static pthread_barrier_t end;
static void *volatile kept[1 << 16];
static atomic_uint n_kept;
static pthread_t threads[THREADS];

static void handle(int signal) {
  void *volatile block = malloc(48);
  long number = atomic_fetch_add(&in_handlers, 1);
  (void)signal;
  if (number % KEPT_EVERY == 0) {
    kept[atomic_fetch_add(&n_kept, 1) % (1 << 16)] = block;
    atomic_fetch_add(&kept_in_handlers, 1);
  } else {
    free(block);
  }
}

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    void *volatile block = malloc(100);
    block = realloc(block, 200);
    free(block);
  }
  atomic_fetch_add(&n_finished, 1);
  pthread_barrier_wait(&end);
  return NULL;
}

static void *annoy(void *unused) {
  (void)unused;
  while (atomic_load(&n_finished) < THREADS)
    for (int i = 0; i < THREADS; i++)
      pthread_kill(threads[i], SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t annoying;
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  pthread_barrier_init(&end, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  pthread_create(&annoying, NULL, annoy, NULL);
  pthread_join(annoying, NULL);
  pthread_barrier_wait(&end);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  fprintf(stderr, "%ld %ld\n", atomic_load(&in_handlers), atomic_load(&kept_in_handlers));
  return 0;
}
