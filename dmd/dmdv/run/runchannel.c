/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/run/runchannel.h"

#include "base/posix/posix.h"
#include "base/strbuf.h"
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  IDLE_MS = 20,          /* between looks while nothing comes */
  PACKETS_A_LOOK = 1024, /* then the socket is checked again */
  ASKING_MS = 2000,      /* for a process to show its token */
  MAX_ASKING = 64,       /* connections that may be waiting to show it */
  STUCK_MS = 1000,       /* before a dead process's lock is broken */
  VERY_STUCK_MS = 60000, /* before the lock of a process that seems to be alive is broken */
  AWAITED_MS = 500,      /* after the end: without a packet of an unfinished file */
  LONGEST_MS = 60000,    /* after the end, in any case */
  TOKEN_SZB = 16,
};

typedef struct {
  int fd;
  int64_t until;
} asking_t;

struct dmdv_channel {
  dmd_channel_t *memory;
  int memory_fd, listening;
  char token[2 * TOKEN_SZB + 1];
  dmd_strbuf_t option;
  dmdv_packet_fn take;
  void *ctx;
  bool has_told; /* the fault was reported */
  asking_t asking[MAX_ASKING];
  int n_asking;
  uint64_t owner, head; /* of the lock, and the position at that time */
  int64_t stuck_since;  /* when they were first seen unchanged */
  dmd_channel_reader_t reader;
};

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- Creating the channel. ---- */

/* Seals the memory against shrinking: a process that reads truncated memory dies of SIGBUS. */
static bool make_memory(dmdv_channel_t *channel) {
  channel->memory_fd = memfd_create("dmd-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (channel->memory_fd < 0 || ftruncate(channel->memory_fd, sizeof(dmd_channel_t)) != 0 ||
      fcntl(channel->memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return false;
  void *at =
      mmap(NULL, sizeof(dmd_channel_t), PROT_READ | PROT_WRITE, MAP_SHARED, channel->memory_fd, 0);
  if (at == MAP_FAILED)
    return false;
  channel->memory = at;
  dmd_channel_init(channel->memory);
  return true;
}

static bool make_random(char *text, size_t n) {
  unsigned char bytes[TOKEN_SZB];
  if (getrandom(bytes, n, 0) != (ssize_t)n)
    return false;
  for (size_t i = 0; i < n; i++)
    sprintf(text + 2 * i, "%02x", bytes[i]);
  return true;
}

static bool make_socket(dmdv_channel_t *channel) {
  char number[2 * TOKEN_SZB + 1], name[64];
  struct sockaddr_un address;
  if (!make_random(channel->token, TOKEN_SZB) || !make_random(number, 8))
    return false;
  int n = snprintf(name, sizeof name, "dmd-run-%ld-%s", (long)getpid(), number);
  socklen_t szB = dmd_posix_abstract_address(&address, name, (size_t)n);
  channel->listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (channel->listening < 0 ||
      bind(channel->listening, (const struct sockaddr *)&address, szB) != 0 ||
      listen(channel->listening, SOMAXCONN) != 0)
    return false;
  dmd_strbuf_str(&channel->option, "--dmd-channel=");
  dmd_strbuf_str(&channel->option, name);
  dmd_strbuf_str(&channel->option, ":");
  dmd_strbuf_str(&channel->option, channel->token);
  return true;
}

dmdv_channel_t *dmdv_channel_new(dmdv_packet_fn take, void *ctx) {
  dmdv_channel_t *channel = dmd_env_alloc(&dmdv_env, "dmdv.channel", sizeof *channel);
  memset(channel, 0, sizeof *channel);
  channel->memory_fd = channel->listening = -1;
  channel->take = take;
  channel->ctx = ctx;
  dmd_strbuf_init(&channel->option, &dmdv_env);
  if (make_memory(channel) && make_socket(channel)) {
    dmd_channel_reader_init(&channel->reader, channel->memory);
    return channel;
  }
  dmdv_error("run: there can be no channel to the program: %s; it writes its files itself",
             strerror(errno));
  dmdv_channel_free(channel);
  return NULL;
}

void dmdv_channel_free(dmdv_channel_t *channel) {
  for (int i = 0; i < channel->n_asking; i++)
    close(channel->asking[i].fd);
  if (channel->listening >= 0)
    close(channel->listening);
  if (channel->memory_fd >= 0)
    close(channel->memory_fd);
  if (channel->memory != NULL)
    munmap(channel->memory, sizeof(dmd_channel_t));
  dmd_strbuf_destroy(&channel->option);
  dmd_env_free(&dmdv_env, channel);
}

const char *dmdv_channel_option(const dmdv_channel_t *channel) {
  return channel->option.text;
}

/* ---- Handing the memory out. ---- */

/* Compares in constant time, so that the time does not reveal how much of a token is right. */
static bool is_token(const dmdv_channel_t *channel, const char *bytes, ssize_t n) {
  unsigned char different = 0;
  if (n != 2 * TOKEN_SZB)
    return false;
  for (int i = 0; i < 2 * TOKEN_SZB; i++)
    different |= (unsigned char)(bytes[i] ^ channel->token[i]);
  return different == 0;
}

static void send_memory(const dmdv_channel_t *channel, int to) {
  char byte = 0;
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.bytes = {0}};
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  const struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  control.header = (struct cmsghdr){
      .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
  memcpy(CMSG_DATA(&control.header), &channel->memory_fd, sizeof(int));
  sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Whether this connection is finished. */
static bool answer(const dmdv_channel_t *channel, const asking_t *asking) {
  char bytes[2 * TOKEN_SZB + 1];
  ssize_t n = recv(asking->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return dmd_posix_now_ms() > asking->until;
  if (is_token(channel, bytes, n))
    send_memory(channel, asking->fd);
  return true;
}

static void answer_all(dmdv_channel_t *channel) {
  int kept = 0;
  for (int i = 0; i < channel->n_asking; i++) {
    asking_t asking = channel->asking[i];
    if (answer(channel, &asking))
      close(asking.fd);
    else
      channel->asking[kept++] = asking;
  }
  channel->n_asking = kept;
}

/* Most processes have sent their token before they are accepted. */
static void accept_all(dmdv_channel_t *channel) {
  int fd;
  while (channel->n_asking < MAX_ASKING &&
         (fd = accept4(channel->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    channel->asking[channel->n_asking++] = (asking_t){fd, dmd_posix_now_ms() + ASKING_MS};
    answer_all(channel);
  }
}

/* ---- Reading. ---- */

/* Whether any packet arrived. */
static bool take_some(dmdv_channel_t *channel) {
  dmd_packet_t packet;
  int n = 0;
  while (n < PACKETS_A_LOOK && dmd_channel_take(&channel->reader, &packet)) {
    if (!channel->take(channel->ctx, &packet, channel->reader.payload))
      dmd_channel_refuse(channel->memory, packet.stream);
    dmd_channel_done(&channel->reader);
    n++;
  }
  if (channel->reader.fault != NULL && !channel->has_told) {
    channel->has_told = true;
    dmd_channel_close(channel->memory);
    dmdv_error("run: a process has written into the channel what does not belong there: %s; "
               "nothing more is read from it",
               channel->reader.fault);
  }
  return n > 0;
}

/* A process in another PID namespace has another number there. So a lock whose owner seems not to
 * exist is broken only after some time. */
static void look_at_lock(dmdv_channel_t *channel) {
  uint64_t owner = __atomic_load_n(&channel->memory->owner, __ATOMIC_ACQUIRE);
  uint64_t head = dmd_channel_head(channel->memory);
  int64_t now = dmd_posix_now_ms();
  if (owner == 0 || owner != channel->owner || head != channel->head) {
    channel->owner = owner;
    channel->head = head;
    channel->stuck_since = now;
    return;
  }
  pid_t pid = (pid_t)(owner >> 32);
  bool is_gone = pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH);
  if (now - channel->stuck_since > (is_gone ? STUCK_MS : VERY_STUCK_MS))
    dmd_channel_break_lock(channel->memory, owner);
}

static void wait_for_more(dmdv_channel_t *channel, int pidfd, int ms) {
  struct pollfd fds[MAX_ASKING + 2] = {{.fd = channel->listening, .events = POLLIN},
                                       {.fd = pidfd, .events = POLLIN}};
  if (channel->n_asking == MAX_ASKING)
    fds[0].fd = -1;
  for (int i = 0; i < channel->n_asking; i++)
    fds[2 + i] = (struct pollfd){.fd = channel->asking[i].fd, .events = POLLIN};
  poll(fds, (nfds_t)channel->n_asking + 2, ms);
}

static bool look(dmdv_channel_t *channel) {
  __atomic_store_n(&channel->memory->beat, (uint64_t)now_ns(), __ATOMIC_RELEASE);
  accept_all(channel);
  answer_all(channel);
  bool came = take_some(channel);
  look_at_lock(channel);
  return came;
}

void dmdv_channel_attend(void *ctx, int pidfd) {
  dmdv_channel_t *channel = ctx;
  bool came = look(channel);
  wait_for_more(channel, pidfd, came ? 0 : IDLE_MS);
}

/* The owner of the lock may still put one packet. */
static void close_memory(dmdv_channel_t *channel) {
  const uint64_t self = (uint64_t)getpid() << 32 | 1;
  uint64_t owner;
  int64_t until = dmd_posix_now_ms() + STUCK_MS;
  while (!dmd_channel_lock(channel->memory, self, &owner) && dmd_posix_now_ms() < until)
    wait_for_more(channel, -1, 1);
  dmd_channel_close(channel->memory);
  dmd_channel_unlock(channel->memory, self);
}

static bool has_taken(const dmdv_channel_t *channel, uint64_t head) {
  return channel->reader.fault != NULL || (int64_t)(channel->reader.tail - head) >= 0;
}

/* Has a time limit, since processes that go on could write for ever. */
void dmdv_channel_finish(dmdv_channel_t *channel, bool (*is_awaited)(const void *ctx)) {
  uint64_t head = dmd_channel_head(channel->memory);
  int64_t begin = dmd_posix_now_ms(), last = begin;
  while (!has_taken(channel, head) || is_awaited(channel->ctx)) {
    if (look(channel))
      last = dmd_posix_now_ms();
    else
      wait_for_more(channel, -1, 1);
    if (dmd_posix_now_ms() - last > AWAITED_MS || dmd_posix_now_ms() - begin > LONGEST_MS)
      break;
  }
  close_memory(channel);
  head = dmd_channel_head(channel->memory);
  while (!has_taken(channel, head) && take_some(channel))
    continue;
}
