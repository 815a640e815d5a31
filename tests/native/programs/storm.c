/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that come and go, allocate and free, fork, and load and unload a library, all at once.
 * Each keeps one block of 1000 bytes and its number; the contents of all blocks are checked.
 *
 *   storm THREADS ROUNDS LIBRARY
 *
 * Children end by _exit: exit would wait for a lock of the C library that another thread may have
 * held when the child was made, because it was unloading its library.
 * Flags: -pthread
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_KEPT = 1 << 16, BLOCKS = 64 };

static void *kept[MAX_KEPT];
static atomic_uint n_kept;
static const char *library;
static int rounds;

static void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  _exit(9);
}

static void keep(void) {
  kept[atomic_fetch_add(&n_kept, 1)] = malloc(1000);
}

static void check(const unsigned char *block, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (block[i] != (unsigned char)n)
      die("a block has not what was written to it");
}

static void blocks(unsigned seed) {
  unsigned char *block[BLOCKS] = {NULL};
  size_t szB[BLOCKS] = {0};
  for (int i = 0; i < 200; i++) {
    unsigned at = rand_r(&seed) % BLOCKS;
    if (block[at] != NULL)
      check(block[at], szB[at]);
    szB[at] = rand_r(&seed) % 255 + 1;
    if (i % 3 == 0) {
      free(block[at]);
      block[at] = malloc(szB[at]);
    } else {
      block[at] = realloc(block[at], szB[at]);
    }
    memset(block[at], (int)szB[at], szB[at]);
  }
  for (int i = 0; i < BLOCKS; i++)
    free(block[i]);
}

static void load(void) {
  void *handle = dlopen(library, RTLD_NOW);
  if (handle == NULL)
    die(dlerror());
  dlclose(handle);
}

static void split(void) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 100; i++)
      free(malloc((size_t)i));
    _exit(0);
  }
  if (waitpid(pid, &status, 0) != pid || status != 0)
    die("a child did not end well");
}

static void *leaf(void *seed) {
  blocks((unsigned)(size_t)seed);
  return NULL;
}

static void *work(void *number) {
  for (int i = 0; i < rounds; i++) {
    pthread_t thread;
    blocks((unsigned)(size_t)number * 1000 + (unsigned)i);
    pthread_create(&thread, NULL, leaf, (void *)(size_t)i);
    if (i % 4 == 0)
      load();
    if (i % 8 == 0)
      split();
    pthread_join(thread, NULL);
  }
  keep();
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[64];
  if (argc != 4)
    die("storm THREADS ROUNDS LIBRARY");
  int n = atoi(argv[1]);
  rounds = atoi(argv[2]);
  library = argv[3];
  for (int i = 0; i < n; i++)
    pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
