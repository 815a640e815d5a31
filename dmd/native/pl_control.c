/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_control.h"

#include "base/posix/posix.h"
#include "native/pl_altstack.h"
#include "native/pl_end.h"
#include "native/pl_enter.h"
#include "native/pl_host.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_stack.h"
#include "native/pl_stop.h"
#include "record/engine/control.h"
#include "record/engine/dump.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  REQUEST_WITHIN = 2, /* seconds for dmdv to write its request, */
  ANSWER_WITHIN = 5   /* and to read the answer */
};

static atomic_bool g_is_serving;

/* ---- The queue of requests that wait for an answer ---- */

/* First in, first out, and unbounded: when the array is full, it is copied into a mapping twice as
 * large. A request is lost only if the system has no memory for that. Signals are blocked. */

enum { AT_HAND = 64 }; /* room for this many without a mapping */

static uint64_t g_at_hand[AT_HAND];

/* A ring. Its size is a power of two; n_added and n_taken only grow. */
static struct {
  dmd_lock_t lock;
  uint64_t *ring;
  uint32_t room;
  uint32_t n_added, n_taken;
} g_questions = {.ring = g_at_hand, .room = AT_HAND};

static uint64_t *place(uint64_t *ring, uint32_t room, uint32_t number) {
  return &ring[number & (room - 1)];
}

static bool make_room(void) {
  uint32_t room = 2 * g_questions.room;
  uint64_t *ring =
      mmap(NULL, room * sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ring == MAP_FAILED)
    return false;
  for (uint32_t i = g_questions.n_taken; i != g_questions.n_added; i++)
    *place(ring, room, i) = *place(g_questions.ring, g_questions.room, i);
  uint64_t *before = g_questions.ring;
  g_questions.ring = ring;
  g_questions.room = room;
  if (before != g_at_hand)
    munmap(before, room / 2 * sizeof *ring);
  return true;
}

static void add_question(uint64_t question) {
  pl_lock_take(&g_questions.lock);
  bool is_full = g_questions.n_added - g_questions.n_taken == g_questions.room;
  if (!is_full || make_room())
    *place(g_questions.ring, g_questions.room, g_questions.n_added++) = question;
  pl_lock_give(&g_questions.lock);
}

static bool take_question(uint64_t *question) {
  pl_lock_take(&g_questions.lock);
  bool is_there = g_questions.n_taken != g_questions.n_added;
  if (is_there)
    *question = *place(g_questions.ring, g_questions.room, g_questions.n_taken++);
  pl_lock_give(&g_questions.lock);
  return is_there;
}

static bool any_question(void) {
  pl_lock_take(&g_questions.lock);
  bool is_any = g_questions.n_taken != g_questions.n_added;
  pl_lock_give(&g_questions.lock);
  return is_any;
}

/* Resets the lock, which another thread may have held at the moment of the fork. */
static void forget_questions(void) {
  g_questions.lock = (dmd_lock_t){0};
  g_questions.n_taken = g_questions.n_added = 0;
  if (g_questions.ring != g_at_hand) {
    munmap(g_questions.ring, g_questions.room * sizeof *g_questions.ring);
    g_questions.ring = g_at_hand;
    g_questions.room = AT_HAND;
  }
}

/* ---- The socket ---- */

static bool await(int fd, short event, int64_t deadline) {
  struct pollfd waiting = {.fd = fd, .events = event};
  int64_t left = deadline - dmd_posix_now_ms();
  return left > 0 && poll(&waiting, 1, (int)left) == 1;
}

/* Returns -1 if there is no socket or another user owns it. Connecting does not wait. */
static int connect_to(uint32_t pid, uint32_t number) {
  struct sockaddr_un address;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &g_env);
  dmd_control_name(&name, pid, number);
  socklen_t szB = dmd_posix_abstract_address(&address, name.text, name.n);
  dmd_strbuf_destroy(&name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  if (connect(fd, (const struct sockaddr *)&address, szB) == 0 && dmd_posix_peer_is_trusted(fd))
    return fd;
  close(fd);
  return -1;
}

/* Reads up to the end of the line, the end of the input, or the end of the buffer. */
static size_t read_request(int fd, char *line, size_t room) {
  int64_t deadline = dmd_posix_now_ms() + REQUEST_WITHIN * 1000;
  size_t n = 0;
  while (n < room && (n == 0 || line[n - 1] != '\n') && await(fd, POLLIN, deadline)) {
    ssize_t got = recv(fd, line + n, room - n, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
      break;
    n += got > 0 ? (size_t)got : 0;
  }
  return n;
}

static void write_answer(int fd, const dmd_strbuf_t *answer) {
  int64_t deadline = dmd_posix_now_ms() + ANSWER_WITHIN * 1000;
  size_t n = 0;
  while (n < answer->n && await(fd, POLLOUT, deadline)) {
    ssize_t sent = send(fd, answer->text + n, answer->n - n, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      break;
    n += sent > 0 ? (size_t)sent : 0;
  }
}

/* ---- Answers ---- */

typedef struct {
  const char *line;
  size_t n;
  const dmd_control_facts_t *facts;
  dmd_strbuf_t *answer;
} question_t;

static void answer_question(void *ctx) {
  const question_t *q = ctx;
  dmd_control_answer(&g_engine, q->facts, q->line, q->n, q->answer);
}

static void answer(int fd) {
  char line[DMD_MAX_CONTROL_REQUEST];
  size_t n = read_request(fd, line, sizeof line);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &g_env);
  const dmd_control_facts_t facts = {
      .start = pl_host_start_time(), .own_szB = pl_host_own_szB(), .n_stacks = pl_stack_count()};
  question_t question = {.line = line, .n = n, .facts = &facts, .answer = &text};
  pl_thread_t *thread = pl_thread();
  pl_lock();
  if (g_state != PL_WATCHING) {
    dmd_control_refuse(&text, "the program is about to end");
  } else if (!pl_memory_try(answer_question, &question)) {
    pl_end_give_up();
    dmd_strbuf_cut(&text, 0);
    dmd_control_refuse(&text, "there is not enough memory; the engine stops recording");
  }
  pl_unlock(thread);
  write_answer(fd, &text);
  dmd_strbuf_destroy(&text);
}

static void serve(uint64_t request) {
  int fd = connect_to((uint32_t)(request >> 32), (uint32_t)request);
  if (fd < 0)
    return;
  answer(fd);
  close(fd);
}

static void dump_due(void *unused) {
  (void)unused;
  dmd_engine_dump_due(&g_engine);
}

static void make_due_dump(void) {
  pl_thread_t *thread = pl_thread();
  pl_lock();
  if (g_engine.due != NULL && g_state == PL_WATCHING && !pl_memory_try(dump_due, NULL))
    pl_end_give_up();
  pl_unlock(thread);
}

static void serve_all(void) {
  pl_stop_stand_by(pl_thread()->interrupted);
  make_due_dump();
  uint64_t request;
  while (take_question(&request))
    serve(request);
  pl_stop_stand_by_end();
}

/* A request that arrives while another thread serves is answered by that thread, or by this one. */
static void serve_waiting(void) {
  sigset_t before = pl_signals_block();
  while (any_question() && !atomic_exchange(&g_is_serving, true)) {
    pl_aside_run(serve_all);
    atomic_store(&g_is_serving, false);
  }
  pl_signals_restore(&before);
}

/* ---- Requests ---- */

static void serve_late(uint64_t unused) {
  (void)unused;
  serve_waiting();
}

/* The thread that serves makes it. */
static void dump_late(uint64_t unused) {
  (void)unused;
  sigset_t before = pl_signals_block();
  if (!atomic_exchange(&g_is_serving, true)) {
    pl_aside_run(serve_all);
    atomic_store(&g_is_serving, false);
  }
  pl_signals_restore(&before);
}

void pl_control_dump_due(pl_thread_t *thread) {
  pl_note_call(thread, dump_late, 0);
}

/* Process pid has a request on its socket with this number. */
static void take_request(uint32_t pid, uint32_t number, const ucontext_t *context) {
  pl_thread_t *thread = pl_thread();
  add_question((uint64_t)pid << 32 | number);
  if (!pl_enter(thread, NULL)) {
    pl_note_call(thread, serve_late, 0);
    return;
  }
  thread->interrupted = context;
  serve_waiting();
  thread->interrupted = NULL;
  pl_leave(thread);
}

/* The kernel decides who may send it: processes of the same user. A signal sent by kill, such as
 * from a shell, is ignored. */
void pl_control_handle(const siginfo_t *info, const ucontext_t *context) {
  if (info->si_code == SI_TKILL && info->si_pid == getpid())
    pl_stop_answer(context);
  else if (info->si_code == SI_QUEUE && pl_end_is_ours())
    take_request((uint32_t)info->si_pid, (uint32_t)info->si_value.sival_int, context);
}

void pl_control_forked(void) {
  forget_questions();
  atomic_store(&g_is_serving, false);
  pl_stop_forked();
}
