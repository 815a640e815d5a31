/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_stop.h"

#include "base/mem.h"
#include "base/str.h"
#include "native/pl_confined.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_signal.h"
#include "native/pl_state.h"
#include "record/engine/control.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000, LOOK_AGAIN_MS = 2, SPARE = 64 };

/* Valid for the moment that it names; 0: none yet. */
typedef struct {
  atomic_uint moment;
  pl_stopped_t what;
} answer_t;

static struct {
  atomic_uint moment; /* odd: the others are to stop; a new number each time */
  answer_t *answers;  /* never freed: a thread may answer after the moment is over */
  uint32_t room;
  atomic_uint n_answers; /* started; may exceed the room */
  int *told;             /* the threads that were sent the signal */
  uint32_t n_told, n_missing;
  bool is_for_good;
  /* The thread that stands by. */
  atomic_bool is_standing_by;
  pl_stopped_t stand_by;
} g_stop;

static pl_stopped_t self_at(const ucontext_t *context) {
  return (pl_stopped_t){.thread = pl_thread(),
                        .thread_pointer = pl_machine_thread_pointer(),
                        .at = pl_machine_context(context),
                        .tid = (int)syscall(SYS_gettid)};
}

/* ---- The stopped threads ---- */

static bool is_stopping(unsigned moment) {
  return moment % 2 != 0;
}

static void put(uint32_t i, unsigned moment, pl_stopped_t what) {
  g_stop.answers[i].what = what;
  atomic_store(&g_stop.answers[i].moment, moment);
}

/* Waits until the moment is over. */
static void wait_while(unsigned moment) {
  while (atomic_load(&g_stop.moment) == moment)
    syscall(SYS_futex, &g_stop.moment, FUTEX_WAIT_PRIVATE, moment, NULL, NULL, 0);
}

/* For a thread that was stopped inside the engine and is about to leave it. */
static void wait_late(uint64_t unused) {
  unsigned moment = atomic_load(&g_stop.moment);
  (void)unused;
  if (is_stopping(moment) && pl_thread()->stopped_at == moment) {
    sigset_t before = pl_signals_block();
    wait_while(moment);
    pl_signals_restore(&before);
  }
}

void pl_stop_answer(const ucontext_t *context) {
  unsigned moment = atomic_load(&g_stop.moment);
  pl_thread_t *thread = pl_thread();
  if (!is_stopping(moment) || thread->stopped_at == moment)
    return;
  thread->stopped_at = moment;
  uint32_t i = atomic_fetch_add(&g_stop.n_answers, 1);
  if (i < g_stop.room)
    put(i, moment, self_at(context));
  if (thread->inside)
    pl_note_call(thread, wait_late, 0);
  else
    wait_while(moment);
}

void pl_stop_stand_by(const ucontext_t *context) {
  g_stop.stand_by = self_at(context);
  atomic_store(&g_stop.is_standing_by, true);
}

void pl_stop_stand_by_end(void) {
  atomic_store(&g_stop.is_standing_by, false);
}

void pl_stop_forked(void) {
  atomic_store(&g_stop.is_standing_by, false);
}

/* ---- The list of threads ---- */

typedef void (*tid_fn)(void *ctx, int tid);

struct entry {
  uint64_t inode;
  int64_t offset;
  uint16_t szB;
  uint8_t type;
  char name[];
};

static int number_of(const char *name) {
  uint64_t number;
  return dmd_str_to_u64(name, 10, &number) && number <= INT32_MAX ? (int)number : 0;
}

static void visit_threads(tid_fn visit, void *ctx) {
  char buffer[4096] __attribute__((aligned(8)));
  int fd = pl_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  long n;
  while (fd >= 0 && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < n;) {
      const struct entry *entry = (const struct entry *)(const void *)(buffer + at);
      int tid = number_of(entry->name);
      if (tid > 0)
        visit(ctx, tid);
      at += entry->szB;
    }
  if (fd >= 0)
    close(fd);
}

static void count_thread(void *ctx, int tid) {
  (void)tid;
  ++*(uint32_t *)ctx;
}

/* ---- The stopping thread ---- */

static bool has_answered(int tid) {
  for (uint32_t i = 0; i < pl_stop_count(); i++) {
    const pl_stopped_t *stopped = pl_stop_at(i);
    if (stopped != NULL && stopped->tid == tid)
      return true;
  }
  return false;
}

static bool was_told(int tid) {
  for (uint32_t i = 0; i < g_stop.n_told; i++)
    if (g_stop.told[i] == tid)
      return true;
  return false;
}

/* The kernel keeps the first thread in the list after it has ended. */
static bool has_ended(int tid) {
  char text[512], state = '\0';
  int fd = tid == getpid() ? pl_open("/proc/self/stat", O_RDONLY) : -1;
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
  for (ssize_t i = 0; i + 2 < n; i++)
    if (text[i] == ')')
      state = text[i + 2]; /* after the name, which may contain any characters */
  if (fd >= 0)
    close(fd);
  return state == 'Z';
}

/* Counts a thread that has not answered, and sends it the signal once. */
static void tell(void *ctx, int tid) {
  uint32_t *n_left = ctx;
  if (has_answered(tid) || has_ended(tid))
    return;
  ++*n_left;
  /* To a thread without our handler the signal would be fatal. */
  if (was_told(tid) || g_stop.n_told == g_stop.room || !pl_signal_is_ours())
    return;
  g_stop.told[g_stop.n_told++] = tid;
  syscall(SYS_tgkill, getpid(), tid, DMD_CONTROL_SIGNAL);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Checks the kernel's list again and again: new threads appear in it, and ended ones vanish, at
 * once. */
static uint32_t wait_for_all(void) {
  int64_t deadline = now_ms() + PATIENCE_MS;
  for (;;) {
    uint32_t n_left = 0;
    visit_threads(tell, &n_left);
    if (n_left == 0 || now_ms() >= deadline || !pl_signal_is_ours())
      return n_left;
    syscall(SYS_sched_yield);
    if (now_ms() + PATIENCE_MS > deadline + LOOK_AGAIN_MS) {
      struct timespec while_they_answer = {.tv_nsec = LOOK_AGAIN_MS * 1000000};
      nanosleep(&while_they_answer, NULL);
    }
  }
}

static void make_room(void) {
  uint32_t n = 0;
  visit_threads(count_thread, &n);
  if (2 * n + SPARE > g_stop.room) {
    uint32_t room = 4 * n + SPARE;
    answer_t *answers = dmd_env_alloc(&g_env, "pl.stop", room * sizeof *answers);
    dmd_mem_zero(answers, room * sizeof *answers);
    g_stop.answers = answers;
    dmd_env_free(&g_env, g_stop.told);
    g_stop.told = dmd_env_alloc(&g_env, "pl.stop", room * sizeof *g_stop.told);
    g_stop.room = room;
  }
}

void pl_stop_others(void) {
  ucontext_t here = {0};
  const ucontext_t *context = pl_thread()->interrupted;
  if (g_stop.is_for_good)
    return;
  if (context == NULL && getcontext(&here) == 0)
    context = &here;
  unsigned moment = atomic_load(&g_stop.moment) + 1;
  make_room();
  g_stop.n_told = 0;
  put(0, moment, self_at(context));
  bool has_other =
      atomic_load(&g_stop.is_standing_by) && g_stop.stand_by.tid != g_stop.answers[0].what.tid;
  if (has_other)
    put(1, moment, g_stop.stand_by);
  atomic_store(&g_stop.n_answers, 1u + has_other);
  atomic_store(&g_stop.moment, moment);
  g_stop.n_missing = wait_for_all();
}

void pl_stop_for_good(void) {
  pl_stop_others();
  g_stop.is_for_good = true;
}

void pl_stop_end(void) {
  if (g_stop.is_for_good)
    return;
  atomic_fetch_add(&g_stop.moment, 1);
  syscall(SYS_futex, &g_stop.moment, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void pl_stop_abandon(void) {
  if (is_stopping(atomic_load(&g_stop.moment)))
    pl_stop_end();
}

uint32_t pl_stop_count(void) {
  uint32_t n = atomic_load(&g_stop.n_answers);
  return n < g_stop.room ? n : g_stop.room;
}

const pl_stopped_t *pl_stop_at(uint32_t i) {
  const answer_t *answer = &g_stop.answers[i];
  return atomic_load(&answer->moment) == atomic_load(&g_stop.moment) ? &answer->what : NULL;
}

uint32_t pl_stop_n_missing(void) {
  return g_stop.n_missing;
}
