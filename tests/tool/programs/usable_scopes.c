/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * malloc_usable_size within a reporter of dmd.h, after it, and in a thread.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "dmd.h"

static void *volatile keep[3];
static volatile size_t total;

static void make(void) {
  for (int i = 0; i < 3; i++)
    keep[i] = malloc(100 * (i + 1));
}

static size_t measure(void *p) {
  return malloc_usable_size(p);
}

static void *in_a_thread(void *arg) {
  total += measure(arg);
  return NULL;
}

int main(void) {
  pthread_t thread;
  make();
  DMD_REPORTER_BEGIN("explicit/named");
  total += measure(keep[0]);
  pthread_create(&thread, NULL, in_a_thread, keep[1]);
  pthread_join(thread, NULL);
  DMD_REPORTER_END(total);
  total += measure(keep[2]);
  return 0;
}
