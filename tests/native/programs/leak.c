/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -rdynamic
 *
 * A minute of a busy program, in which the argument decides what else happens: "leak" loses 100 KB
 * a second; "cache" keeps 25 MB, at first all that it is asked for, then in place of older ones.
 * With a second argument it prints `ready` and waits for a byte of its input, and at the end, after
 * `worked`, for the end of its input.
 * Its clock is a count of its steps, for itself and the engine: a run takes about a second on any
 * machine.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_PER_S = 1000, SECONDS = 60, N_BUSY = 500, N_CACHED = 5000, SZB = 100000 };

static uint64_t g_steps;

/* Replaces the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now) {
  (void)clock;
  now->tv_sec = (time_t)(1000 + g_steps / STEPS_PER_S);
  now->tv_nsec = (long)(g_steps % STEPS_PER_S * (1000000000 / STEPS_PER_S));
  return 0;
}

static uint32_t number(void) {
  static uint64_t state;
  if (state == 0)
    state = (uint64_t)strtoul(getenv("SEED") == NULL ? "1" : getenv("SEED"), NULL, 10);
  state = state * 6364136223846793005 + 1442695040888963407;
  return (uint32_t)(state >> 33);
}

/* Of 0 to 200,000 bytes. */
__attribute__((noinline)) static void *work(void) {
  return malloc(number() % (2 * SZB));
}

__attribute__((noinline)) static void *lose(void) {
  return malloc(1000);
}

__attribute__((noinline)) static void *fill(void) {
  return malloc(number() % 10000);
}

static void *g_busy[N_BUSY], *g_cached[N_CACHED], *volatile g_lost;

static void renew(void **place, void *(*make)(void)) {
  free(*place);
  *place = make();
}

static void wait_for_input(const char *said) {
  char c;
  if (write(STDOUT_FILENO, said, strlen(said)) < 0 || read(STDIN_FILENO, &c, 1) < 0)
    exit(1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (argc > 2)
    wait_for_input("ready\n");
  for (int i = 0; i < N_BUSY; i++)
    g_busy[i] = work();
  for (; g_steps < STEPS_PER_S * SECONDS; g_steps++) {
    renew(&g_busy[number() % N_BUSY], work);
    if (g_steps % 10 == 0 && strcmp(what, "leak") == 0)
      g_lost = lose();
    if (g_steps % 2 == 0 && strcmp(what, "cache") == 0)
      renew(&g_cached[g_steps / 2 < N_CACHED ? g_steps / 2 : number() % N_CACHED], fill);
  }
  if (argc > 2)
    wait_for_input("worked\n");
  return 0;
}
