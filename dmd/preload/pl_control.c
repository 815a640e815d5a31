/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "preload/pl_control.h"

#include "engine/control.h"
#include "preload/pl_aside.h"
#include "preload/pl_event.h"
#include "preload/pl_host.h"
#include "preload/pl_memory.h"
#include "preload/pl_resident.h"
#include "preload/pl_signal.h"
#include "preload/pl_stack.h"
#include "preload/pl_stop.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_WAITING = 8,    /* requests */
  REQUEST_WITHIN = 2, /* seconds that dmdv has to write its request, */
  ANSWER_WITHIN = 5   /* and to read the answer */
};

static struct {
  atomic_ullong waiting[MAX_WAITING]; /* process and number; 0: free */
  atomic_bool is_serving;
} g_control;

/* ---- The socket. ---- */

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool await(int fd, short event, int64_t deadline) {
  struct pollfd waiting = {.fd = fd, .events = event};
  int64_t left = deadline - now_ms();
  return left > 0 && poll(&waiting, 1, (int)left) == 1;
}

static bool is_same_user(int fd) {
  struct ucred peer;
  socklen_t szB = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &szB) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

/* -1: there is none, or it is somebody else's. A connection is there at once, or not at all. */
static int connect_to(uint32_t pid, uint32_t number) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &g_env);
  dmd_control_name(&name, pid, number);
  dmd_mem_copy(address.sun_path + 1, name.text, name.n);
  socklen_t szB = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name.n);
  dmd_strbuf_destroy(&name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  if (connect(fd, (const struct sockaddr *)&address, szB) == 0 && is_same_user(fd))
    return fd;
  close(fd);
  return -1;
}

/* A line, or what there is of it when there is no more, or no more room. */
static size_t read_request(int fd, char *line, size_t room) {
  int64_t deadline = now_ms() + REQUEST_WITHIN * 1000;
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
  int64_t deadline = now_ms() + ANSWER_WITHIN * 1000;
  size_t n = 0;
  while (n < answer->n && await(fd, POLLOUT, deadline)) {
    ssize_t sent = send(fd, answer->text + n, answer->n - n, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      break;
    n += sent > 0 ? (size_t)sent : 0;
  }
}

/* ---- Answers. ---- */

static void answer(int fd) {
  char line[DMD_MAX_CONTROL_REQUEST];
  size_t n = read_request(fd, line, sizeof line);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &g_env);
  const dmd_control_facts_t facts = {
      .start = pl_host_start_time(), .own_szB = pl_resident_own(), .n_stacks = pl_stack_count()};
  pl_thread_t *thread = pl_thread();
  pl_lock_inside();
  if (g_state == PL_WATCHING)
    dmd_control_answer(&g_engine, &facts, line, n, &text);
  else
    dmd_control_refuse(&text, "the program is about to end");
  pl_unlock_inside(thread);
  write_answer(fd, &text);
  dmd_strbuf_destroy(&text);
}

static void serve(unsigned long long request) {
  int fd = connect_to((uint32_t)(request >> 32), (uint32_t)request);
  if (fd < 0)
    return;
  answer(fd);
  close(fd);
}

static void serve_all(void) {
  pl_stop_stand_by(pl_thread()->interrupted);
  for (int i = 0; i < MAX_WAITING; i++) {
    unsigned long long request = atomic_exchange(&g_control.waiting[i], 0);
    if (request != 0)
      serve(request);
  }
  pl_stop_stand_by_end();
}

static bool is_any_waiting(void) {
  for (int i = 0; i < MAX_WAITING; i++)
    if (atomic_load(&g_control.waiting[i]) != 0)
      return true;
  return false;
}

/* What comes while another thread serves, that thread sees, or this one. */
void pl_control_serve(void) {
  sigset_t before = pl_signal_block_all();
  while (is_any_waiting() && !atomic_exchange(&g_control.is_serving, true)) {
    pl_aside_run(serve_all);
    atomic_store(&g_control.is_serving, false);
  }
  pl_signal_restore(&before);
}

/* ---- Requests. ---- */

/* One that there is no room for is not answered. */
static void add(unsigned long long request) {
  for (int i = 0; i < MAX_WAITING; i++) {
    unsigned long long free_slot = 0;
    if (atomic_compare_exchange_strong(&g_control.waiting[i], &free_slot, request))
      return;
  }
}

void pl_control_ask(uint32_t pid, uint32_t number, const ucontext_t *context) {
  pl_thread_t *thread = pl_thread();
  add((unsigned long long)pid << 32 | number);
  if (!pl_hide(thread)) {
    pl_note_request(thread);
    return;
  }
  thread->interrupted = context;
  pl_control_serve();
  thread->interrupted = NULL;
  pl_unhide(thread);
}

void pl_control_forked(void) {
  for (int i = 0; i < MAX_WAITING; i++)
    atomic_store(&g_control.waiting[i], 0);
  atomic_store(&g_control.is_serving, false);
  pl_stop_forked();
}
