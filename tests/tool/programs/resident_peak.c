/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Takes much memory past malloc and gives it back. Prints the most that the process had according
 * to the kernel, in bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include <valgrind/dmd.h>

enum { MB = 1 << 20 };

/* Until the timeline has got points. */
static void allocate_for_a_while(void) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    void *volatile p = malloc(50000);
    free(p);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 50);
}

static void fill_and_unmap(size_t n) {
  char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort();
  memset(p, 1, n);
  allocate_for_a_while();
  munmap(p, n);
}

static unsigned long most_kB(void) {
  char line[256];
  unsigned long kB = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmHWM: %lu kB", &kB) == 1)
      break;
  if (status != NULL)
    fclose(status);
  return kB;
}

int main(void) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a huge page would be resident as a whole */
  allocate_for_a_while();
  fill_and_unmap(40 * MB);
  DMD_DUMP("first");
  fill_and_unmap(20 * MB);
  DMD_DUMP("second");
  printf("%lu\n", most_kB() * 1024);
  fill_and_unmap(60 * MB);
  DMD_DUMP("third");
  return 0;
}
