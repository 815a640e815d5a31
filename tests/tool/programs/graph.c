/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks with pointers. The program knows all of them: it prints them, and requests a graph.
 *
 *   block ADDRESS SIZE           by make_blocks or announce
 *   edge ADDRESS TARGET          a word at this address is this address in a block
 * root KIND ADDRESS TARGET     likewise, for a word outside of the heap
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <valgrind/dmd.h>

enum { N_BLOCKS = 300, N_EDGES = 900, POOL_SZB = 4096 };

static char *g_blocks[N_BLOCKS];
static size_t g_szB[N_BLOCKS];

/* ---- Random numbers, the same each time. ---- */

static uint64_t g_seed = 1;

static size_t below(size_t n) {
  g_seed = g_seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(g_seed >> 33) % n;
}

static void point(void *from, void *to) {
  memcpy(from, &to, sizeof to);
  dprintf(1, "edge %p %p\n", from, to);
}

/* ---- Blocks. ---- */

static void make_blocks(void) {
  for (size_t i = 0; i < N_BLOCKS; i++) {
    g_szB[i] = i % 50 == 0 ? 5000 + below(20000) : below(200);
    g_blocks[i] = calloc(1, g_szB[i]);
    dprintf(1, "block %p %zu\n", (void *)g_blocks[i], g_szB[i]);
  }
}

static void fill_blocks(void) {
  for (size_t i = 0; i < N_EDGES; i++) {
    size_t from = below(N_BLOCKS), to = below(N_BLOCKS);
    size_t n_words = g_szB[from] / sizeof(void *);
    if (n_words == 0)
      continue;
    void **word = (void **)g_blocks[from] + below(n_words);
    if (*word == NULL)
      point(word, g_blocks[to] + (i % 3 == 0 && g_szB[to] > 0 ? below(g_szB[to]) : 0));
  }
}

/* Values that are not pointers to blocks: a block's end, an unaligned address, and one in slop.
 */
static void add_others(void) {
  char **p = calloc(8, sizeof *p), *slop = malloc(25);
  char *target = malloc(40);
  p[0] = target + 40;
  memcpy((char *)p + 17, &target, sizeof target);
  memcpy(slop + 32, &target, sizeof target);
}

/* A piece's words do not belong to its pool. No words of the pool's slop are read. */
static void announce(void) {
  char *pool = calloc(1, POOL_SZB);
  VALGRIND_MALLOCLIKE_BLOCK(pool + 64, 64, 0, 1);
  VALGRIND_MALLOCLIKE_BLOCK(pool + 1024, 100, 0, 1);
  VALGRIND_MALLOCLIKE_BLOCK(pool + 1056, 16, 0, 1);
  point(pool, pool + 64);
  point(pool + 64, pool + 1024);
  point(pool + 120, pool + 8);
  point(pool + 1032, pool + 1060);
  point(pool + 1056, pool + 70);
  point(pool + 1072, pool + 1120);
  point(pool + 2048, pool + 1024);
  dprintf(1, "pool %p\n", (void *)pool);
}

/* ---- Roots. ---- */

static void *g_data = &g_data, *g_bss;
static __thread void *g_thread_local;
static pthread_barrier_t g_barrier;

static void *root(const char *kind, void **from, void *to) {
  *from = to;
  dprintf(1, "root %s %p %p\n", kind, (void *)from, to);
  return to;
}

static void *run_thread(void *unused) {
  void *volatile on_stack;
  (void)unused;
  root("stack-of-thread", (void **)&on_stack, malloc(50));
  root("thread-local", &g_thread_local, malloc(60));
  pthread_barrier_wait(&g_barrier);
  pthread_barrier_wait(&g_barrier);
  return on_stack;
}

/* A stack that is a block: its words are the block's, not a root's. */
static void *run_in_block(void *unused) {
  void *volatile on_stack = malloc(90);
  (void)unused;
  dprintf(1, "edge-of-stack %p %p\n", (void *)&on_stack, on_stack);
  pthread_barrier_wait(&g_barrier);
  pthread_barrier_wait(&g_barrier);
  return on_stack;
}

static void start_on_heap(pthread_t *thread) {
  enum { STACK_SZB = 256 * 1024 };
  pthread_attr_t attributes;
  void *stack = memalign(4096, STACK_SZB);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, STACK_SZB);
  pthread_create(thread, &attributes, run_in_block, NULL);
  dprintf(1, "stack %p\n", stack);
}

static void graph_below(void *volatile *outer) {
  void *volatile on_stack;
  root("stack-inner", (void **)&on_stack, malloc(10));
  (void)outer;
  dprintf(1, "graph %d\n", (int)DMD_GRAPH("a\n\033\"\xff"));
}

static void make_roots(void) {
  void *volatile on_stack;
  root("data", &g_data, malloc(20));
  root("bss", &g_bss, malloc(30));
  root("stack-outer", (void **)&on_stack, malloc(40));
  void **mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  root("mapped", mapped + 5, malloc(70));
  void **unreadable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unreadable[0] = malloc(80);
  mprotect(unreadable, 4096, PROT_NONE);
  graph_below(&on_stack);
}

int main(void) {
  pthread_t thread, on_heap;
  setvbuf(stdout, NULL, _IONBF, 0);
  pthread_barrier_init(&g_barrier, NULL, 3);
  pthread_create(&thread, NULL, run_thread, NULL);
  start_on_heap(&on_heap);
  pthread_barrier_wait(&g_barrier);
  make_blocks();
  fill_blocks();
  add_others();
  announce();
  make_roots();
  pthread_barrier_wait(&g_barrier);
  pthread_join(thread, NULL);
  pthread_join(on_heap, NULL);
  return 0;
}
