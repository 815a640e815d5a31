/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that adds up in a static variable runs in two threads at once.
 *
 * Mozilla's DMD: nothing
 * Flags: -pthread
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/queue
 *   claimed: 1216
 *   measured: 408
 *   bytes: 808
 *   reason: concurrent
 *   text: 1,216 bytes claimed, 408 bytes measured: 808 bytes too many
 *   text: Likely reason: another thread was in the same reporter: do they add up in one variable?
 *   at: queue_measure @end < main @first
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

struct queue {
  int *elements;
};

DMD_MALLOC_SIZE_OF_FN(queue_size_of)

/* In the first thread, pause lets the second one run amid the measuring; in the second there is no
 * pause. */
static void queue_measure(const struct queue *queue, void (*pause)(void)) {
#ifdef FIXED
  size_t sum;
#else
  static size_t sum;
#endif
  DMD_REPORTER_BEGIN("explicit/queue");
  sum = 0;
  if (pause != NULL)
    pause();
  sum += queue_size_of(queue->elements);
  DMD_REPORTER_END(sum); /* @end */
}

static struct queue g_first, g_second;

static void *second_thread(void *unused) {
  queue_measure(&g_second, NULL);
  return unused;
}

static void run_second_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, second_thread, NULL) != 0)
    abort();
  pthread_join(thread, NULL);
}

int main(void) {
  g_first.elements = malloc(400);
  g_second.elements = malloc(800);
  queue_measure(&g_first, run_second_thread); /* @first */
  DMD_DUMP("two queues");
  return 0;
}
