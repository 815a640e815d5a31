/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program with an allocator under names of its own, which never frees. Prints how often main and
 * its threads called the allocator itself. With -DTOO_SHORT one of the functions is just a ret.
 * Compiled with -DALLOCATOR it is the allocator alone, in a library whose constructor allocates;
 * with -DPROGRAM it is the rest.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *je_malloc(size_t szB);
void *je_realloc(void *p, size_t szB);
void je_free(void *p);
extern int n_calls;
extern char *early, *early_too;

#ifndef PROGRAM

int n_calls;
char *early, *early_too;

static char *next, *end;

__attribute__((noinline)) void *je_malloc(size_t szB) {
  size_t all = (szB + 31) / 16 * 16;
  __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
  if ((size_t)(end - next) < all) {
    next = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    end = next + (16 << 20);
  }
  char *p = __atomic_fetch_add(&next, all, __ATOMIC_RELAXED);
  *(size_t *)p = szB;
  return p + 16;
}

__attribute__((noinline)) void *je_realloc(void *p, size_t szB) {
  size_t old = ((size_t *)p)[-2];
  return memcpy(je_malloc(szB), p, old < szB ? old : szB);
}

#ifdef TOO_SHORT
__asm__(".globl je_free; .type je_free, %function; je_free: ret; .size je_free, . - je_free");
#else
__attribute__((noinline)) void je_free(void *p) {
  __atomic_add_fetch(&n_calls, p != NULL, __ATOMIC_RELAXED);
}
#endif

#ifdef ALLOCATOR
__attribute__((constructor)) static void allocate_early(void) {
  early = strcpy(je_malloc(6), "early");
  early_too = je_malloc(4000);
}
#endif

#endif

#ifndef ALLOCATOR

enum { THREADS = 4, ROUNDS = 20000, BLOCKS = 100 };

static void *kept[2];

__attribute__((noinline)) static void keep(int i, size_t szB) {
  kept[i] = je_malloc(szB);
}

/* Each block's first bytes say which it is. */
static void *work(void *seed) {
  unsigned *p[BLOCKS] = {NULL}, random = (unsigned)(uintptr_t)seed;
  for (unsigned i = 0; i < ROUNDS; i++) {
    random = random * 1103515245 + 12345;
    unsigned k = random / 256 % BLOCKS;
    size_t szB = sizeof **p + random / 1024 % 500;
    if (p[k] != NULL && *p[k] != k)
      abort();
    if (p[k] == NULL || i % 3 == 0) {
      p[k] = p[k] == NULL ? je_malloc(szB) : je_realloc(p[k], szB);
      *p[k] = k;
    } else {
      je_free(p[k]);
      p[k] = NULL;
    }
  }
  for (unsigned k = 0; k < BLOCKS; k++)
    je_free(p[k]);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int before = n_calls, status = 0;
  if (early != NULL) {
    early = je_realloc(early, 3000);
    if (strcmp(early, "early") != 0)
      abort();
    je_free(early);
    je_free(early_too);
  }
  keep(0, 1234);
  for (size_t t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], NULL, work, (void *)t) != 0)
      return 1;
  for (size_t t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  pid_t child = fork();
  if (child == 0) {
    work((void *)99);
    keep(1, 777);
    return 0;
  }
  if (waitpid(child, &status, 0) != child || status != 0)
    return 2;
  printf("%d\n", n_calls - before);
  return 0;
}

#endif
