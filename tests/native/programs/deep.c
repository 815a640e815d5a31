/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks that are allocated ten calls deep, in a new thread and in the first one.
 *
 * Flags: -O1 -fno-optimize-sibling-calls -pthread
 */
#include <pthread.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))

static void *volatile g_block;
static volatile int g_after;

KEEP static void bottom(size_t szB) {
  g_block = malloc(szB);
  g_after++;
}

KEEP static void middle(int depth) {
  if (depth == 0)
    bottom(100);
  else
    middle(depth - 1);
  g_after++;
}

KEEP static void top(void) {
  middle(7);
  g_after++;
}

KEEP static void *thread(void *arg) {
  g_block = malloc(200);
  free(g_block);
  g_after++;
  return arg;
}

int main(void) {
  pthread_t id;
  if (pthread_create(&id, NULL, thread, NULL) == 0)
    pthread_join(id, NULL);
  top();
  return 0;
}
