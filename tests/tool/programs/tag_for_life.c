/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Threads that carry a tag as long as they live: one that ends, and the first, which ends with the
 * program.
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep[2];

static void *work(void *arg) {
  DMD_TAG_PUSH("worker");
  keep[0] = malloc(100);
  return arg;
}

int main(void) {
  pthread_t worker;
  DMD_TAG_PUSH("program");
  if (pthread_create(&worker, NULL, work, NULL) != 0)
    return 1;
  pthread_join(worker, NULL);
  keep[1] = malloc(200);
  return 0;
}
