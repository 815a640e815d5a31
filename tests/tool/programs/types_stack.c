/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the names of its variables on stacks and in threads, and of the blocks that they hold:
 *   block ADDRESS NAME
 *   edge ADDRESS NAME
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dmd.h>

struct jar {
  struct jar *next;
  double weight;
};

struct lid {
  long size;
  struct jar *closes[2];
};

static __thread char numbers[13] = "thirteen";
static __thread struct lid *lids[3];
__thread struct jar *spare;

static void block(const void *p, const char *type) {
  printf("block %p %s\n", p, type);
}

static void edge(const void *p, const char *member) {
  printf("edge %p %s\n", p, member);
}

/* Only a typed pointer shows the type: the object is copied as bytes. */
__attribute__((noinline)) static void fill(void *at, size_t n) {
  void *memory = malloc(n);
  memset(memory, 0, n);
  memcpy(at, &memory, sizeof memory);
}

__attribute__((noinline)) static void innermost(struct jar **kept, int depth) {
  struct lid own = {.size = depth};
  fill(&own.closes[1], sizeof(struct jar));
  edge(&own.closes[1], "own.closes[1]");
  block(own.closes[1], "jar");
  {
    struct jar *inner;
    fill(&inner, sizeof *inner);
    *kept = inner;
    edge(&inner, "inner");
    block(inner, "jar");
    if (depth > 0)
      innermost(&inner->next, depth - 1);
    else
      DMD_GRAPH("now");
    *kept = inner;
  }
  own.size++;
  __asm__ volatile("" ::"r"(&own) : "memory");
}

static void *run(void *kept) {
  struct {
    struct lid *lid;
    struct jar *jars[2];
  } shelf = {NULL};
  fill(&shelf.lid, sizeof(struct lid));
  edge(&shelf.lid, "shelf.lid");
  block(shelf.lid, "lid");
  fill(&shelf.jars[1], 3 * sizeof(struct jar));
  edge(&shelf.jars[1], "shelf.jars[1]");
  block(shelf.jars[1], "jar[]");
  fill(&lids[2], sizeof(struct lid));
  edge(&lids[2], "lids[2]");
  block(lids[2], "lid");
  fill(&spare, sizeof(struct jar));
  edge(&spare, "spare");
  block(spare, "jar");
  numbers[0]++;
  innermost(kept, 2);
  __asm__ volatile("" ::"r"(&shelf) : "memory");
  return NULL;
}

int main(void) {
  struct jar *kept[2] = {NULL, NULL};
  pthread_t thread;
  pthread_create(&thread, NULL, run, &kept[1]);
  pthread_join(thread, NULL);
  return 0;
}
