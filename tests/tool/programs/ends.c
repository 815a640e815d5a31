/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Ends in the way that its argument names, with one block left.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *volatile keep;

static void block(void) {
  keep = malloc(100);
  DMD_REPORT(keep);
}

static void *end_all(void *arg) {
  (void)arg;
  exit(5);
}

static void *end_later(void *arg) {
  pthread_join(*(pthread_t *)arg, NULL);
  return NULL;
}

static void end_from_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, end_all, NULL);
  pthread_join(thread, NULL);
}

/* The process goes on until its last thread has ended. */
static void end_main_thread_first(void) {
  static pthread_t self;
  pthread_t thread;
  self = pthread_self();
  pthread_create(&thread, NULL, end_later, &self);
  pthread_exit(NULL);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  block();
  if (strcmp(how, "segv") == 0)
    *(volatile int *)8 = 1;
  else if (strcmp(how, "abort") == 0)
    abort();
  else if (strcmp(how, "_exit") == 0)
    _exit(7);
  else if (strcmp(how, "term") == 0)
    raise(SIGTERM);
  else if (strcmp(how, "kill") == 0)
    raise(SIGKILL);
  else if (strcmp(how, "thread") == 0)
    end_from_thread();
  else if (strcmp(how, "main-thread-first") == 0)
    end_main_thread_first();
  return 0;
}
