/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The library of memory reporters with concurrent threads, built with ThreadSanitizer: some threads
 * register reporters and unregister them, load and unload a plugin that has one, fork, collect,
 * poll, or ask from outside. Some reporters lie, recurse, or hang for a while. No reporter runs
 * after it was unregistered, one runs at a time, and every request gets a whole answer. At the end
 * no slot and no file descriptor is lost.
 *
 *   test_reporters [REQUESTS]     default: 200
 */
#include "together.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dmd-reporters.h"

enum { N_REGISTERING = 3, N_LIES = 4, SIGNAL = 59, MAX_AT_ONCE = 32 };

typedef enum { REGISTERS, LOADS, FORKS, ASKS, COLLECTS, POLLS } role_t;

typedef struct {
  role_t role;
  uint64_t dice;
} worker_t;

static long g_n_requests = 200;
static const char *g_plugin;
static int g_n_running, g_is_over;
static long g_n_answers;

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
  CHECK(m->is_alive);
  __atomic_sub_fetch(&g_n_running, 1, __ATOMIC_RELAXED);
}

/* Registered for as long as the program runs. */
static void lie(struct dmd_reporters_call *call, void *unused) {
  (void)unused;
  dmd_reporters_report(call, NULL, DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, 1, NULL);
  dmd_reporters_report(call, "", DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, 1, NULL);
  dmd_reporters_report(call, "explicit/x", DMD_REPORTERS_OTHER, DMD_REPORTERS_BYTES, 1, NULL);
  dmd_reporters_report(call, "x", 99, -1, INT64_MIN, NULL);
  dmd_reporters_report(call, "\"}\n{\"end\":1}\n\xff", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT,
                       INT64_MIN, "\n\x1b");
}

static void recurse(struct dmd_reporters_call *call, void *unused) {
  (void)call;
  int id = dmd_reporters_register(recurse, unused, "recurses", 0);
  CHECK(id > 0 && dmd_reporters_openmetrics(NULL, NULL) == -1);
  dmd_reporters_unregister(id);
}

/* Others wait for it meanwhile. */
static void hang(struct dmd_reporters_call *call, void *dice) {
  (void)call;
  if (together_roll(dice, 100) == 0)
    usleep(20000);
}

static int is_over(void) {
  return __atomic_load_n(&g_is_over, __ATOMIC_ACQUIRE);
}

/* Others keep pace with the requests, so that a slow machine does not spend its time on them. */
static void await_answers(long n) {
  long end = __atomic_load_n(&g_n_answers, __ATOMIC_RELAXED) + n;
  while (!is_over() && __atomic_load_n(&g_n_answers, __ATOMIC_RELAXED) < end)
    usleep(500);
}

static void register_some(worker_t *w) {
  enum { N = 4 };
  measured_t *measured[N];
  int ids[N];
  while (!is_over()) {
    for (int i = 0; i < N; i++) {
      measured[i] = malloc(sizeof *measured[i]);
      CHECK(measured[i] != NULL);
      *measured[i] = (measured_t){1, (int64_t)together_roll(&w->dice, 1000)};
      ids[i] = dmd_reporters_register(measure, measured[i], "measured",
                                      i % 2 ? DMD_REPORTERS_ANY_THREAD : 0);
      CHECK(ids[i] > 0);
    }
    await_answers((long)together_roll(&w->dice, 3));
    for (int i = 0; i < N; i++) {
      dmd_reporters_unregister(ids[i]);
      measured[i]->is_alive = 0;
      free(measured[i]);
      dmd_reporters_unregister(ids[i]);
    }
  }
}

/* The plugin registers a reporter when it is loaded. */
static void load(void) {
  while (!is_over()) {
    void *plugin = dlopen(g_plugin, RTLD_NOW);
    CHECK(plugin != NULL);
    await_answers(4);
    CHECK(dlclose(plugin) == 0 && dlopen(g_plugin, RTLD_NOW | RTLD_NOLOAD) == NULL);
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
  char end[64];
  snprintf(end, sizeof end, "\n{\"end\":1,\"refused\":%d,\"dropped\":0}\n", N_LIES);
  CHECK(n > strlen(end) && strcmp(text + n - strlen(end), end) == 0);
}

/* To the own thread, one by one: ThreadSanitizer keeps one signal of a number for each thread, and
 * runs its handler at the next call that it knows. */
static void send_request(worker_t *w, int *listening) {
  unsigned number = (unsigned)together_roll(&w->dice, 1u << 31) | 2;
  *listening = listen_as(number);
  CHECK(pthread_sigqueue(pthread_self(), SIGNAL, (union sigval){.sival_int = (int)number}) == 0);
  usleep(1);
}

static void take_answer(int listening) {
  int fd;
  do
    fd = accept(listening, NULL, NULL);
  while (fd < 0 && errno == EINTR);
  CHECK(fd >= 0);
  read_answer(fd);
  close(fd);
  close(listening);
}

/* In a child, which has no other thread that could poll. */
static void ask_itself(worker_t *w) {
  int listening;
  send_request(w, &listening);
  dmd_reporters_poll();
  take_answer(listening);
}

static void ask(worker_t *w) {
  int listening[MAX_AT_ONCE];
  for (long left = g_n_requests; left > 0;) {
    int n = 1 + (int)together_roll(&w->dice, left < MAX_AT_ONCE ? (uint64_t)left : MAX_AT_ONCE);
    for (int i = 0; i < n; i++)
      send_request(w, &listening[i]);
    for (int i = 0; i < n; i++) {
      take_answer(listening[i]);
      if (__atomic_add_fetch(&g_n_answers, 1, __ATOMIC_RELAXED) % 10000 == 0)
        printf("# %ld answers\n", g_n_answers);
    }
    left -= n;
  }
  __atomic_store_n(&g_is_over, 1, __ATOMIC_RELEASE);
}

/* ---- Collections. ---- */

static void take(void *closure, const struct dmd_reporters_value *value) {
  CHECK(value->path[0] != '\0');
  ++*(long *)closure;
}

static void collect(void) {
  while (!is_over()) {
    long n = 0;
    CHECK(dmd_reporters_collect(take, &n, 0) == n);
    await_answers(3);
  }
}

static void poll(void) {
  while (!is_over()) {
    dmd_reporters_poll();
    usleep(100);
  }
}

/* A child has the reporters of this moment, no thread, and no request; it asks itself. */
static void fork_some(worker_t *w) {
  while (!is_over()) {
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      long n = 0;
      g_n_running = 0; /* whatever ran in another thread has ended here */
      CHECK(dmd_reporters_collect(take, &n, 0) == n && n > 0);
      ask_itself(w);
      _exit(0);
    }
    while (waitpid(pid, &status, 0) < 0)
      CHECK(errno == EINTR);
    CHECK(status == 0);
    w->dice++; /* the child used numbers, too */
    await_answers(100);
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
  else if (w->role == LOADS)
    load();
  else if (w->role == FORKS)
    fork_some(w);
  else
    register_some(w);
  return arg;
}

static int count_files(void) {
  int n = 0;
  DIR *folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  while (readdir(folder) != NULL)
    n++;
  closedir(folder);
  return n;
}

/* All slots but those that are in use can be taken. */
static void take_all_slots(int n_used) {
  static int ids[DMD_REPORTERS_MAX];
  for (int i = 0; i < DMD_REPORTERS_MAX; i++)
    ids[i] = dmd_reporters_register(measure, NULL, "slot", 0);
  for (int i = 0; i < DMD_REPORTERS_MAX; i++)
    CHECK((ids[i] > 0) == (i < DMD_REPORTERS_MAX - n_used));
  for (int i = 0; i < DMD_REPORTERS_MAX; i++)
    dmd_reporters_unregister(ids[i]);
}

static void run(int number, const char *name) {
  worker_t workers[N_REGISTERING + 5];
  uint32_t n = 0;
  int n_files = count_files();
  for (int i = 0; i < N_REGISTERING; i++)
    workers[n++] = (worker_t){REGISTERS, (uint64_t)i + 1};
  for (role_t role = LOADS; role <= POLLS; role++)
    workers[n++] = (worker_t){role, (uint64_t)role + 100 * (uint64_t)getpid()};
  g_is_over = 0;
  together_run(n, work, workers, sizeof workers[0]);
  CHECK(count_files() == n_files);
  printf("ok %d - %s\n", number, name);
}

int main(int argc, char **argv) {
  static uint64_t dice;
  char plugin[4096];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1)
    g_n_requests = atol(argv[1]);
  snprintf(plugin, sizeof plugin, "%s/reporters_plugin.so", dirname(argv[0]));
  g_plugin = plugin;
  dmd_reporters_register(lie, NULL, "lies", DMD_REPORTERS_ANY_THREAD);
  dmd_reporters_register(recurse, NULL, "recurses", DMD_REPORTERS_ANY_THREAD);
  dmd_reporters_register(hang, &dice, "hangs", DMD_REPORTERS_ANY_THREAD);
  puts("1..2");
  CHECK(dmd_reporters_start(0) == 0);
  run(1, "reporters come and go while polls answer and a thread collects");
  CHECK(dmd_reporters_start(DMD_REPORTERS_THREAD) == 0);
  run(2, "reporters come and go while the library's thread answers too");
  dmd_reporters_stop();
  take_all_slots(3);
  return 0;
}
