/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that the program maps itself: reported, in part, moved, unmapped, and by nobody.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <valgrind/dmd.h>

enum { KIB = 1024 };

static char *map(size_t szB, int protection) {
  char *p = mmap(NULL, szB, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort();
  return p;
}

static char *dark(void) {
  return map(3000 * KIB, PROT_READ | PROT_WRITE);
}

static char *cache(void) {
  return map(2000 * KIB, PROT_READ | PROT_WRITE);
}

static char *cut(void) {
  return map(64 * KIB, PROT_READ | PROT_WRITE);
}

static char *gone(void) {
  return map(1000 * KIB, PROT_READ | PROT_WRITE);
}

static char *replaced(void) {
  return map(512 * KIB, PROT_READ | PROT_WRITE);
}

static void over(char *p) {
  if (mmap(p, 128 * KIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != p)
    abort();
}

static char *reserve(void) {
  return map(8000 * KIB, PROT_NONE);
}

static char *larger(char *p) {
  return mremap(p, 2000 * KIB, 5000 * KIB, MREMAP_MAYMOVE);
}

/* 200 KiB at the break, of which 150 stay, and 20 more. */
static void raise_break(void) {
  char *start = sbrk(200 * KIB);
  if (start == (void *)-1 || brk(start + 150 * KIB) != 0 || sbrk(20 * KIB) != start + 150 * KIB)
    abort();
}

static void *thread(void *unused) {
  (void)unused;
  return map(32 * KIB, PROT_READ | PROT_WRITE);
}

int main(void) {
  pthread_t other;
  dark();
  reserve();
  char *kept = cache(), *part = cut();
  munmap(gone(), 1000 * KIB);
  munmap(part + 16 * KIB, 16 * KIB);
  over(replaced());
  raise_break();
  kept = larger(kept);
  pthread_create(&other, NULL, thread, NULL);
  pthread_join(other, NULL);
  char *block = malloc(1 << 20); /* which glibc's malloc would map */
  for (int i = 0; i < 2; i++) {
    DMD_REPORTER_BEGIN("explicit/cache");
    size_t n = DMD_REPORT_MAPPED(kept, 5000 * KIB);
    n += DMD_REPORT(block);
    DMD_REPORTER_END(n);
    printf("%zu\n", n - DMD_UNREPORT(block));
    printf("%zu\n", (size_t)DMD_REPORT_MAPPED(part, 100));
    fflush(stdout);
    DMD_DUMP(i == 0 ? "all" : "cleared");
    munmap(kept + 1000 * KIB, 4000 * KIB);
  }
  return 0;
}
