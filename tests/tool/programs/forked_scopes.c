/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * A fork while another thread is in a reporter's scope. Prints the child's process id.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static pthread_barrier_t begun, done;
static void *volatile keep[2];

static void *measuring(void *arg) {
  keep[0] = malloc(100);
  DMD_REPORTER_BEGIN("explicit/worker");
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&done);
  DMD_REPORTER_END(DMD_REPORT(keep[0]));
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&begun, NULL, 2);
  pthread_barrier_init(&done, NULL, 2);
  if (pthread_create(&thread, NULL, measuring, NULL) != 0)
    return 1;
  pthread_barrier_wait(&begun);
  pid_t child = fork();
  if (child == 0) {
    keep[1] = malloc(200);
    return 0;
  }
  int status;
  if (waitpid(child, &status, 0) != child || status != 0)
    return 2;
  pthread_barrier_wait(&done);
  pthread_join(thread, NULL);
  dprintf(1, "%d", (int)child);
  return 0;
}
