/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Maps and touches known amounts of memory, with a dump after each step. With "native", prints how
 * much is resident at the end according to the kernel, since there is no Valgrind then.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd.h>

enum { MB = 1 << 20 };

static char *volatile keep[8];

static void check(int good) {
  if (!good)
    abort();
}

static char *map(size_t n, int flags) {
  char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  check(p != MAP_FAILED);
  return p;
}

/* Ends once the other end of the pipe is closed. */
static void wait_for(int fd) {
  char c;
  while (read(fd, &c, 1) > 0)
    ;
}

/* A child shares the pages that it inherits, until one side writes to them. */
static void share(void) {
  int go[2], end[2];
  check(pipe(go) == 0 && pipe(end) == 0);
  pid_t child = fork();
  if (child == 0) {
    volatile char sum = 0;
    for (int i = 0; i < 8 * MB; i += 4096)
      sum += keep[1][i];
    close(end[1]);
    check(write(go[1], "x", 1) == 1);
    wait_for(end[0]);
    _exit(0);
  }
  close(go[1]);
  char c;
  check(read(go[0], &c, 1) == 1);
  DMD_DUMP("shared with a child");
  close(end[1]);
  check(waitpid(child, NULL, 0) == child);
  DMD_DUMP("the child is gone");
}

/* The kernel makes one mapping of this one and of Valgrind's own before it: they are alike. */
static void beside_valgrind(void) {
  char line[5000], mode[8];
  unsigned long from, to, place = 0, before = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && place == 0 && fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3)
      continue;
    if (before != 0 && from - before >= 4 * MB)
      place = before;
    before = from >= 0x1000000000ul && strcmp(mode, "rwxp") == 0 ? to : 0;
  }
  if (place == 0)
    return;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  char *p = mmap((void *)place, 2 * MB, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);
  check(p == (char *)place);
  fclose(maps);
  DMD_DUMP("before it is touched");
  memset(p, 1, MB / 2);
  DMD_DUMP("beside Valgrind");
}

static void print_resident(void) {
  char line[5000];
  unsigned long kB, sum = 0;
  FILE *smaps = fopen("/proc/self/smaps", "r");
  check(smaps != NULL);
  while (fgets(line, sizeof line, smaps) != NULL)
    if (sscanf(line, "Rss: %lu kB", &kB) == 1)
      sum += kB;
  fclose(smaps);
  printf("%lu\n", sum * 1024);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  /* A huge page would be resident as a whole. */
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  /* Everything has run once by now: code is resident after its first run. */
  printf("begin\n");
  char *first = map(MB, MAP_PRIVATE);
  memset(first, 1, MB);
  munmap(first, MB);
  DMD_DUMP("warm");
  if (strcmp(what, "beside") == 0) {
    beside_valgrind();
    return 0;
  }
  DMD_DUMP("start");
  keep[0] = map(64 * MB, MAP_PRIVATE | MAP_NORESERVE);
  DMD_DUMP("mapped");
  memset(keep[0], 1, 16 * MB);
  DMD_DUMP("touched");
  keep[1] = map(8 * MB, MAP_SHARED);
  memset(keep[1], 1, 8 * MB);
  DMD_DUMP("shared memory");
  munmap(keep[0], 12 * MB);
  DMD_DUMP("unmapped");
  keep[2] = malloc(5 * MB);
  memset(keep[2], 1, 5 * MB);
  DMD_DUMP("allocated");
  if (strcmp(what, "native") == 0)
    print_resident();
  else if (strcmp(what, "fork") == 0)
    share();
  return 0;
}
