/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A signal ends the program while another thread makes a child, which then ends well.
 *
 * The fork handler is registered before all others, so that it is called last: the thread is almost
 * in the kernel by then. There it waits until the first thread, which has sent itself the signal,
 * ends or sleeps.
 *
 * Flags: -pthread
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile g_kept;
static int g_is_forking;

__attribute__((noinline)) static void kept_block(void) {
  g_kept = malloc(123);
}

__attribute__((noinline)) static void child_block(void) {
  g_kept = malloc(789);
}

/* The state that the kernel reports; without allocation. */
static char state_of_first_thread(void) {
  char name[64], text[512] = "";
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)getpid());
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  const char *state = n > 0 ? strrchr(text, ')') : NULL;
  return state != NULL ? state[2] : '?';
}

static void last_before_fork(void) {
  __atomic_store_n(&g_is_forking, 1, __ATOMIC_SEQ_CST);
  while (state_of_first_thread() == 'R')
    continue;
}

static void begin(void) {
  pthread_atfork(last_before_fork, NULL, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*const g_begin)(void) = begin;

static void *split(void *unused) {
  if (fork() == 0) {
    child_block();
    _exit(0);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  kept_block();
  if (pthread_create(&thread, NULL, split, NULL) != 0)
    return 1;
  while (!__atomic_load_n(&g_is_forking, __ATOMIC_SEQ_CST))
    continue;
  raise(SIGTERM);
  return 2;
}
