/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The library of memory reporters with concurrent threads, built with ThreadSanitizer: some threads
 * register reporters and unregister them, others collect, poll, or ask from outside. No reporter
 * runs after it was unregistered, one runs at a time, and every request gets a whole answer.
 */
#include "together.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dmd-reporters.h"

/* One asks: ThreadSanitizer keeps one signal of a number for each thread and drops others. */
enum { N_REGISTERING = 3, N_ASKING = 1, N_STEPS = 300, SIGNAL = 59 };

typedef enum { REGISTERS, ASKS, COLLECTS, POLLS } role_t;

typedef struct {
  role_t role;
  uint64_t dice;
} worker_t;

static int g_n_running, g_n_working;

/* What a reporter measures: freed as soon as it is unregistered. */
typedef struct {
  int is_alive;
  int64_t amount;
} measured_t;

static void measure(struct dmd_reporters_call *call, void *closure) {
  measured_t *m = closure;
  CHECK(__atomic_add_fetch(&g_n_running, 1, __ATOMIC_RELAXED) == 1);
  CHECK(m->is_alive);
  dmd_reporters_report(call, "explicit/measured", DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES,
                       m->amount, NULL);
  CHECK(dmd_reporters_collect(NULL, NULL, 0) == -1);
  dmd_reporters_poll();
  __atomic_sub_fetch(&g_n_running, 1, __ATOMIC_RELAXED);
}

static void register_some(worker_t *w) {
  enum { N = 4 };
  measured_t *measured[N];
  int ids[N];
  for (int step = 0; step < N_STEPS; step++) {
    for (int i = 0; i < N; i++) {
      measured[i] = malloc(sizeof *measured[i]);
      CHECK(measured[i] != NULL);
      *measured[i] = (measured_t){1, (int64_t)together_roll(&w->dice, 1000)};
      ids[i] = dmd_reporters_register(measure, measured[i], "measured",
                                      i % 2 ? DMD_REPORTERS_ANY_THREAD : 0);
      CHECK(ids[i] > 0);
    }
    usleep((useconds_t)together_roll(&w->dice, 200));
    for (int i = 0; i < N; i++) {
      dmd_reporters_unregister(ids[i]);
      measured[i]->is_alive = 0;
      free(measured[i]);
      dmd_reporters_unregister(ids[i]);
    }
  }
}

/* ---- Requests. ---- */

static int listen_as(unsigned number) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int n =
      snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dmd-reporters-1.%08x", number);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, 4) == 0);
  return fd;
}

static void read_answer(int fd) {
  char text[1 << 16];
  size_t n = 0;
  for (;;) {
    ssize_t part = read(fd, text + n, sizeof text - 1 - n);
    CHECK(part >= 0 || errno == EINTR);
    if (part == 0)
      break;
    n += part > 0 ? (size_t)part : 0;
  }
  text[n] = '\0';
  CHECK(strncmp(text, "{\"dmd-reporters\":1,", 19) == 0);
  CHECK(strstr(text, "\n{\"end\":1,\"refused\":0,\"dropped\":0}\n") != NULL);
}

static void ask(worker_t *w) {
  for (int step = 0; step < N_STEPS / 3; step++) {
    unsigned number = (unsigned)together_roll(&w->dice, 1u << 31) | 2;
    int listening = listen_as(number), fd;
    CHECK(sigqueue(getpid(), SIGNAL, (union sigval){.sival_int = (int)number}) == 0);
    do
      fd = accept(listening, NULL, NULL);
    while (fd < 0 && errno == EINTR);
    CHECK(fd >= 0);
    read_answer(fd);
    close(fd);
    close(listening);
  }
}

/* ---- Collections. ---- */

static void take(void *closure, const struct dmd_reporters_value *value) {
  CHECK(value->path[0] != '\0');
  ++*(long *)closure;
}

static int is_over(void) {
  return __atomic_load_n(&g_n_working, __ATOMIC_ACQUIRE) == 0;
}

static void collect(void) {
  while (!is_over()) {
    long n = 0;
    CHECK(dmd_reporters_collect(take, &n, 0) == n);
    usleep(300);
  }
}

static void poll(void) {
  while (!is_over()) {
    dmd_reporters_poll();
    usleep(100);
  }
}

static void *work(void *arg) {
  worker_t *w = arg;
  if (w->role == COLLECTS)
    collect();
  else if (w->role == POLLS)
    poll();
  else if (w->role == ASKS)
    ask(w);
  else
    register_some(w);
  if (w->role == ASKS || w->role == REGISTERS)
    __atomic_sub_fetch(&g_n_working, 1, __ATOMIC_RELEASE);
  return arg;
}

static void run(int number, const char *name) {
  worker_t workers[N_REGISTERING + N_ASKING + 2];
  uint32_t n = 0;
  for (int i = 0; i < N_REGISTERING; i++)
    workers[n++] = (worker_t){REGISTERS, (uint64_t)i + 1};
  for (int i = 0; i < N_ASKING; i++)
    workers[n++] = (worker_t){ASKS, (uint64_t)i + 100 * (uint64_t)getpid()};
  workers[n++] = (worker_t){COLLECTS, 0};
  workers[n++] = (worker_t){POLLS, 0};
  g_n_working = N_REGISTERING + N_ASKING;
  together_run(n, work, workers, sizeof workers[0]);
  printf("ok %d - %s\n", number, name);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("1..2");
  CHECK(dmd_reporters_start(0) == 0);
  run(1, "reporters come and go while polls answer and a thread collects");
  CHECK(dmd_reporters_start(DMD_REPORTERS_THREAD) == 0);
  run(2, "reporters come and go while the library's thread answers too");
  dmd_reporters_stop();
  return 0;
}
