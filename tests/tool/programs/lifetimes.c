/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks that live briefly, and blocks that live long. The argument is the way. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100, THREADS = 4, ROUNDS = 2000 };

__attribute__((noinline)) char *bowl(void) {
  return malloc(10000);
}

__attribute__((noinline)) void taste(void) {
  free(malloc(64));
}

/* Something else is allocated, or freed, before each of these is freed. */
__attribute__((noinline)) void stir(void) {
  char *a = malloc(32), *b = malloc(32);
  free(a);
  free(b);
}

__attribute__((noinline)) char *grow(char *p, size_t n) {
  return realloc(p, n);
}

static void cook(void) {
  char *bowls[N];
  for (int i = 0; i < N; i++) {
    bowls[i] = bowl();
    taste();
  }
  for (int i = 1; i < N; i++)
    free(bowls[i]);
  stir();
}

/* Each realloc but the first frees what the last one allocated. */
static void swell(void) {
  char *p = NULL;
  for (size_t n = 1; n <= N; n++)
    p = grow(p, n);
  free(p);
}

static void *work(void *turn) {
  (void)turn;
  for (int i = 0; i < ROUNDS; i++) {
    char *p = bowl();
    taste();
    free(p);
  }
  return NULL;
}

static void together(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "cook") == 0)
    cook();
  else if (argc > 1 && strcmp(argv[1], "swell") == 0)
    swell();
  else
    together();
  return 0;
}
