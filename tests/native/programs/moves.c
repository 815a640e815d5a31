/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread maps memory and lets mremap move it; others map and unmap as much, so that they get the
 * place that has just become free. All that was moved stays mapped.
 *
 *   moves ROUNDS
 *
 * Flags: -pthread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N_OTHERS = 3 };

static long page;
static int is_over;

static void *map(long n_pages) {
  void *p = mmap(NULL, (size_t)(n_pages * page), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort();
  return p;
}

/* The page behind the 16 prevents that they grow where they are. */
static void move(void) {
  char *p = map(17);
  if (mremap(p, (size_t)(16 * page), (size_t)(17 * page), MREMAP_MAYMOVE) == MAP_FAILED)
    abort();
  munmap(p + 16 * page, (size_t)page);
}

static void *other(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
    munmap(map(16), (size_t)(16 * page));
  return unused;
}

int main(int argc, char **argv) {
  pthread_t others[N_OTHERS];
  page = sysconf(_SC_PAGESIZE);
  for (int i = 0; i < N_OTHERS; i++)
    pthread_create(&others[i], NULL, other, NULL);
  for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
    move();
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < N_OTHERS; i++)
    pthread_join(others[i], NULL);
  return 0;
}
