/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heaps that change over time. The argument is the way. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <valgrind/dmd.h>

__attribute__((noinline)) char *soup(size_t n) {
  return malloc(n);
}

static void pause_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* 1, 2 ... 5 blocks of 100,000 bytes, then two of them, then none. */
static void steps(void) {
  enum { N = 5 };
  char *blocks[N];
  for (int i = 0; i < N; i++) {
    blocks[i] = soup(100000);
    DMD_DUMP(i % 2 == 0 ? "even" : "odd");
    pause_ms(20);
  }
  for (int i = 2; i < N; i++)
    free(blocks[i]);
  DMD_DUMP("less");
  free(blocks[0]);
  free(blocks[1]);
}

/* The same with marks, whose texts are odd. */
static void marks(void) {
  DMD_MARK("begin");
  char *blocks[] = {soup(1000), soup(20000), soup(300000)};
  DMD_MARK("a \"text\"\n\033\xff");
  free(blocks[2]);
  blocks[0] = realloc(blocks[0], 500);
  DMD_MARK(NULL);
  pause_ms(5);
  free(soup(7));
  DMD_MARK("begin");
  free(blocks[0]);
  free(blocks[1]);
}

/* 1,000 marks, of which some are kept. */
static void many(void) {
  for (int i = 0; i < 1000; i++) {
    soup(10);
    DMD_MARK("again");
  }
}

/* Grows from 0 to 4,000,000 bytes within about 400 ms, with much that comes and goes. */
static void grow(void) {
  for (int i = 0; i < 400; i++) {
    for (int k = 0; k < 100; k++)
      free(soup(2000));
    soup(10000);
    pause_ms(1);
  }
}

/* The parent has 3,000 bytes at the fork, and the child adds 2,000. */
static void split(void) {
  char *large = soup(100000), *kept = soup(3000);
  free(large);
  pause_ms(30);
  if (fork() == 0) {
    free(soup(2000));
    free(kept);
    exit(0);
  }
  wait(NULL);
  free(kept);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } ways[] = {{"steps", steps}, {"marks", marks}, {"many", many}, {"grow", grow}, {"split", split}};
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (strcmp(argv[1], ways[i].name) == 0)
      ways[i].run();
  return 0;
}
