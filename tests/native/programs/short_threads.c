/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * short_threads NUMBER: prints ready. For each line that it reads it starts so many threads, eight
 * at a time, each of which allocates and frees, and prints a line when they have ended.
 *
 * Flags: -pthread
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE = 8 };

/* The engine's tables depend on the number of threads alive at once: always eight. */
static pthread_barrier_t all_live;

static void *live_short(void *number) {
  for (size_t i = 1; i < 10; i++)
    free(malloc(i * ((size_t)number % 100 + 1)));
  pthread_barrier_wait(&all_live);
  return NULL;
}

static void start(long n) {
  pthread_t threads[AT_ONCE];
  for (long i = 0; i < n; i += AT_ONCE) {
    for (long k = 0; k < AT_ONCE; k++)
      if (pthread_create(&threads[k], NULL, live_short, (void *)(i + k)) != 0)
        exit(2);
    for (long k = 0; k < AT_ONCE; k++)
      pthread_join(threads[k], NULL);
  }
}

int main(int argc, char **argv) {
  char line[20];
  if (argc != 2 || pthread_barrier_init(&all_live, NULL, AT_ONCE) != 0)
    return 2;
  do {
    puts("ready");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL)
      return 0;
    start(strtol(argv[1], NULL, 10));
  } while (1);
}
