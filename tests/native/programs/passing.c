/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * passing THREADS ROUNDS: threads allocate in every way, write a pattern to each block, and pass
 * blocks on to other threads, which read them, free them, or reallocate them and pass them on
 * again. The rest is left over. It prints its own counts, as Memcheck counts: allocations, frees,
 * bytes allocated, blocks and bytes left. With 0 rounds it does the same except for these
 * operations.
 *
 * Flags: -O1 -pthread
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 64, N_PLACES = 512, MANY = 1 << 18 };

/* How each block begins; the rest is the pattern. */
typedef struct {
  uint32_t szB, seed;
} head_t;

typedef struct {
  uint64_t random, allocs, frees, bytes;
} worker_t;

static long g_rounds;
static _Atomic(head_t *) g_places[N_PLACES];
static pthread_barrier_t g_all_there, g_all_done;

static void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  _exit(9);
}

static uint32_t roll(worker_t *w, uint32_t n) {
  w->random ^= w->random << 13;
  w->random ^= w->random >> 7;
  w->random ^= w->random << 17;
  return (uint32_t)(w->random >> 20) % n;
}

static unsigned char pattern(uint32_t seed, size_t i) {
  return (unsigned char)(seed + i * 7 + (i >> 8));
}

static void fill(head_t *block, uint32_t szB, uint32_t seed) {
  unsigned char *bytes = (unsigned char *)block;
  *block = (head_t){szB, seed};
  for (size_t i = sizeof *block; i < szB; i++)
    bytes[i] = pattern(seed, i);
}

static void check(const head_t *block, uint32_t szB, uint32_t seed) {
  const unsigned char *bytes = (const unsigned char *)block;
  for (size_t i = sizeof *block; i < szB; i++)
    if (bytes[i] != pattern(seed, i))
      die("a block has not what was written to it");
}

static uint32_t any_size(worker_t *w) {
  return (uint32_t)sizeof(head_t) + (roll(w, 500) == 0 ? roll(w, MANY) : roll(w, 700));
}

static void *get(worker_t *w, uint32_t *szB) {
  void *p = NULL;
  size_t n = *szB;
  switch (roll(w, 8)) {
  case 0:
    p = calloc(n, 1);
    break;
  case 1:
    p = realloc(NULL, n);
    break;
  case 2:
    if (posix_memalign(&p, 64, n) != 0)
      p = NULL;
    break;
  case 3:
    p = memalign(32, n);
    break;
  case 4:
    *szB = (uint32_t)(n = (n + 63) & ~(size_t)63);
    p = aligned_alloc(64, n);
    break;
  case 5:
    p = reallocarray(NULL, n, 1);
    break;
  default:
    p = malloc(n);
  }
  if (p == NULL || malloc_usable_size(p) < n)
    die("no block, or one that is too small");
  w->allocs++;
  w->bytes += n;
  return p;
}

__attribute__((noinline)) static head_t *make(worker_t *w) {
  uint32_t szB = any_size(w);
  head_t *block = get(w, &szB);
  fill(block, szB, roll(w, 1 << 30));
  return block;
}

__attribute__((noinline)) static head_t *change(worker_t *w, head_t *block) {
  head_t was = *block;
  uint32_t szB = any_size(w);
  head_t *now = roll(w, 2) ? realloc(block, szB) : reallocarray(block, 1, szB);
  if (now == NULL)
    die("no block");
  check(now, was.szB < szB ? was.szB : szB, was.seed);
  w->allocs++;
  w->frees++;
  w->bytes += szB;
  fill(now, szB, was.seed + 1);
  return now;
}

static void let_go(worker_t *w, head_t *block) {
  check(block, block->szB, block->seed);
  free(block);
  w->frees++;
}

static void lay_down(worker_t *w, head_t *block) {
  head_t *there = atomic_exchange(&g_places[roll(w, N_PLACES)], block);
  if (there != NULL)
    let_go(w, there);
}

static void *work(void *arg) {
  worker_t *w = arg;
  pthread_barrier_wait(&g_all_there);
  for (long i = 0; i < g_rounds; i++) {
    head_t *taken = atomic_exchange(&g_places[roll(w, N_PLACES)], NULL);
    if (taken == NULL) {
      lay_down(w, make(w));
    } else {
      check(taken, taken->szB, taken->seed);
      if (roll(w, 3) == 0)
        let_go(w, taken);
      else
        lay_down(w, change(w, taken));
    }
  }
  pthread_barrier_wait(&g_all_done);
  return NULL;
}

int main(int argc, char **argv) {
  static worker_t workers[MAX_THREADS];
  pthread_t threads[MAX_THREADS];
  worker_t all = {0};
  uint64_t left = 0, left_szB = 0;
  if (argc != 3)
    return 2;
  int n = atoi(argv[1]);
  g_rounds = atol(argv[2]);
  pthread_barrier_init(&g_all_there, NULL, (unsigned)n);
  pthread_barrier_init(&g_all_done, NULL, (unsigned)n);
  for (int i = 0; i < n; i++) {
    workers[i].random = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15;
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < n; i++) {
    pthread_join(threads[i], NULL);
    all.allocs += workers[i].allocs;
    all.frees += workers[i].frees;
    all.bytes += workers[i].bytes;
  }
  for (int i = 0; i < N_PLACES; i++)
    if (g_places[i] != NULL) {
      check(g_places[i], g_places[i]->szB, g_places[i]->seed);
      left++;
      left_szB += g_places[i]->szB;
    }
  printf("%lu %lu %lu %lu %lu\n", all.allocs, all.frees, all.bytes, left, left_szB);
  return 0;
}
