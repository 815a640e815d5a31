/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each way to grow and shrink does to the peak. The argument is the way. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <valgrind/dmd.h>
#include <valgrind/valgrind.h>

enum { N_SPOONS = 100 };

__attribute__((noinline)) char *soup(size_t n) {
  return malloc(n);
}

__attribute__((noinline)) char *spoon(void) {
  return malloc(100);
}

__attribute__((noinline)) char *crumb(void) {
  return malloc(10);
}

static size_t measure(const void *p) {
  return DMD_REPORT(p);
}

/* 510,000 bytes in 101 blocks, then nothing. */
static void cook(void) {
  char *large = soup(500000), *spoons[N_SPOONS];
  for (int i = 0; i < N_SPOONS; i++)
    spoons[i] = spoon();
  for (int i = 0; i < N_SPOONS; i++)
    free(spoons[i]);
  free(large);
  free(crumb());
}

/* Two of three spoons are of the peak, and a crumb is left that is not. */
static void leave(void) {
  char *large = soup(500000);
  spoon();
  char *used = spoon();
  free(large);
  free(used);
  spoon();
  crumb();
}

/* 30,000 bytes at most: the old block is gone when the new one is there. */
static void stir(void) {
  char *p = soup(20000), *behind = soup(1000);
  p = realloc(p, 29000);
  p = realloc(p, 5000);
  free(behind);
  free(p);
}

static void tell(void) {
  char *p = soup(1000), *large = soup(90000);
  free(large);
  DMD_REPORTER_BEGIN("explicit/soup");
  DMD_REPORTER_END(measure(p));
  free(p);
}

/* The child begins with 3,000 bytes, and adds 2,000. */
static void split(void) {
  char *large = soup(100000), *kept = soup(3000);
  free(large);
  if (fork() == 0) {
    free(soup(2000));
    free(kept);
    exit(0);
  }
  wait(NULL);
  free(kept);
}

/* A pool within a block counts with the block. */
static void divide(void) {
  char *pool = soup(40000);
  VALGRIND_MALLOCLIKE_BLOCK(pool, 1000, 0, 0);
  VALGRIND_MALLOCLIKE_BLOCK(pool + 1000, 500, 0, 0);
  free(soup(100));
}

/* A dump after each course. The second is small, and a spoon and a crumb of it are left. */
static void dine(void) {
  free(soup(500000));
  DMD_DUMP("first");
  char *small = soup(3000), *spoons[10];
  for (int i = 0; i < 10; i++)
    spoons[i] = spoon();
  for (int i = 0; i < 9; i++)
    free(spoons[i]);
  free(small);
  crumb();
  DMD_DUMP("second");
  free(soup(600000));
  DMD_DUMP("third");
  free(spoons[9]);
}

/* A reporter covers the soup, but not the spoons, and then the soup is gone. */
static void overlook(void) {
  char *large = soup(90000), *spoons[N_SPOONS];
  for (int i = 0; i < N_SPOONS; i++)
    spoons[i] = spoon();
  DMD_REPORTER_BEGIN("explicit/soup");
  DMD_REPORTER_END(measure(large));
  DMD_DUMP("measured");
  DMD_CLEAR_REPORTS();
  for (int i = 0; i < N_SPOONS; i++)
    free(spoons[i]);
  free(large);
}

/* The heap grows to 10,000,000 bytes, twice. */
static void swell(void) {
  char *all[100];
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < 100; i++)
      all[i] = soup(100000);
    for (int i = 0; i < 100; i++)
      free(all[i]);
  }
}

/* More than any address space has: twice at one place, then at another one, which keeps its block.
 */
static void lack(void) {
  const volatile size_t far_too_much = (size_t)1 << (sizeof(void *) == 8 ? 47 : 30);
  char *kept = soup(100000), *none = kept;
  kept[99999] = 'k';
  for (int i = 0; i < 2; i++) {
    errno = 0;
    none = malloc(far_too_much);
    printf("%d %d\n", none == NULL, errno == ENOMEM);
  }
  errno = 0;
  none = realloc(kept, far_too_much);
  printf("%d %d %c\n", none == NULL, errno == ENOMEM, kept[99999]);
  free(kept);
}

/* Allocates for more than two seconds. */
static void simmer(void) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    free(soup(5000));
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - start.tv_sec < 3);
}

static pthread_barrier_t rounds;

/* No thread is ahead of another by more than a round, so that one that waits to write a dump is not
 * overtaken. */
static void *work(void *turn) {
  char *kept[50];
  (void)turn;
  for (int round = 0; round < 40; round++) {
    for (int i = 0; i < 50; i++)
      kept[i] = soup(1000 + (size_t)i);
    for (int i = 0; i < 50; i++)
      free(kept[i]);
    pthread_barrier_wait(&rounds);
  }
  return NULL;
}

static void *keep(void *unused) {
  for (int i = 0; i < 100; i++)
    soup(20000);
  return unused;
}

/* 8,000,000 bytes of four threads that stay. */
static void pile(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, keep, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

static void together(void) {
  pthread_t threads[4];
  pthread_barrier_init(&rounds, NULL, 4);
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } ways[] = {{"cook", cook},   {"leave", leave},       {"stir", stir},         {"tell", tell},
              {"split", split}, {"divide", divide},     {"swell", swell},       {"simmer", simmer},
              {"dine", dine},   {"overlook", overlook}, {"together", together}, {"pile", pile},
              {"lack", lack}};
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (strcmp(argv[1], ways[i].name) == 0)
      ways[i].run();
  return 0;
}
