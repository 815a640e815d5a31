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

__attribute__((noinline)) char *brief(void) {
  return malloc(1000);
}

__attribute__((noinline)) char *middling(void) {
  return malloc(1000);
}

__attribute__((noinline)) char *lasting(void) {
  return malloc(1000);
}

__attribute__((noinline)) char *frame(void) {
  return malloc(1000);
}

/* Each step allocates as many bytes and takes as many instructions as the others, so that time in
 * bytes and in instructions is the same but for the unit. frame lives throughout. */
static void pace(void) {
  enum { STEPS = 100000, MOST = 1000 };
  static char *(*const make[])(void) = {brief, middling, lasting};
  static const unsigned lives[] = {100, 300, MOST};
  static char *kept[3][MOST];
  char *whole = frame();
  for (unsigned i = 0; i < STEPS; i++) {
    char **place = &kept[i % 3][i / 3 % lives[i % 3]];
    free(*place);
    *place = make[i % 3]();
  }
  for (unsigned i = 0; i < 3 * MOST; i++)
    free(kept[i / MOST][i % MOST]);
  free(whole);
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
  else if (argc > 1 && strcmp(argv[1], "pace") == 0)
    pace();
  else
    together();
  return 0;
}
