/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_channel.h"

#include "base/machine.h"
#include "base/posix/posix.h"
#include "base/str.h"
#include "native/pl_confined.h"
#include "native/pl_kernel.h"
#include "native/pl_state.h"
#include "record/engine/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)

enum {
  SPINS = 200,          /* polls before the first sleep */
  NAP_US = 200,         /* length of each later sleep */
  FRESH_MS = 500,       /* a reader that polled this recently counts as alive */
  LOOK_EVERY_MS = 100,  /* how often a waiting writer checks that */
  PATIENCE_MS = 20000,  /* with a reader that makes no progress */
  CONNECT_WITHIN_S = 2, /* timeout of each step */
  NAME_SZB = 17,        /* more than the kernel keeps of a program's name */
};

static struct {
  dmd_channel_t *_Atomic memory; /* NULL: never connected; stays mapped */
  atomic_bool is_lost;           /* the reader has gone */
  struct sockaddr_un address;    /* of the socket */
  socklen_t address_szB;
  atomic_bool has_no_bell; /* the socket is unreachable: the process is now in another network
                            * namespace */
  pid_t pid;
  uint64_t stream; /* of the file being written */
  bool is_broken;  /* a part of it was not accepted */
} g_channel;

static dmd_channel_t *memory(void) {
  return atomic_load_explicit(&g_channel.memory, memory_order_acquire);
}

static bool has_channel(void) {
  return memory() != NULL && !atomic_load(&g_channel.is_lost);
}

uint64_t pl_channel_range(uint64_t *start) {
  *start = (uintptr_t)memory();
  return *start == 0 ? 0 : sizeof(dmd_channel_t);
}

/* ---- Time, read through the vDSO: no system call ---- */

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 * MS + time.tv_nsec;
}

static void nap(int64_t us) {
  const struct timespec a_while = {.tv_nsec = us * 1000};
  if (pl_is_confined())
    for (int i = 0; i < SPINS; i++)
      dmd_machine_pause();
  else
    nanosleep(&a_while, NULL);
}

/* ---- The socket ---- */

/* Returns -1, with errno set, on failure. */
static int connect_to_dmdv(int flags) {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
  const struct timeval within = {.tv_sec = CONNECT_WITHIN_S};
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &within, sizeof within);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &within, sizeof within);
  if (connect(fd, (const struct sockaddr *)&g_channel.address, g_channel.address_szB) == 0)
    return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

/* Wakes dmdv by connecting. Returns false if dmdv may have gone. */
static bool ring_bell(void) {
  if (pl_is_confined() || atomic_load(&g_channel.has_no_bell))
    return true;
  int fd = connect_to_dmdv(SOCK_NONBLOCK);
  bool is_refused = fd < 0 && errno == ECONNREFUSED;
  if (fd >= 0)
    close(fd);
  return !is_refused;
}

/* ---- Whether the reader is alive ---- */

static uint64_t beat(void) {
  return __atomic_load_n(&memory()->beat, __ATOMIC_ACQUIRE);
}

static int64_t silent_ms(void) {
  return (now() - (int64_t)beat()) / MS;
}

/* A refused connection need not mean that the reader has gone: socket names belong to a network
 * namespace. A live reader polls many times a second. */
static bool still_beats(void) {
  uint64_t before = beat();
  int64_t until = now() + FRESH_MS * MS;
  while (now() < until) {
    if (beat() != before) {
      atomic_store(&g_channel.has_no_bell, true);
      return true;
    }
    nap(NAP_US);
  }
  return false;
}

static void give_up(void) {
  atomic_store(&g_channel.is_lost, true);
}

static bool is_read(void) {
  bool is_there = !dmd_channel_is_closed(memory()) && silent_ms() < PATIENCE_MS &&
                  (ring_bell() || still_beats());
  if (!is_there)
    give_up();
  return is_there;
}

bool pl_channel_is_there(void) {
  if (!has_channel())
    return false;
  return (silent_ms() < FRESH_MS && !dmd_channel_is_closed(memory())) || is_read();
}

/* ---- Waiting ---- */

typedef struct {
  uint64_t tail, head;
  int64_t since, looked; /* the last progress, and the last check of the reader */
  int spins;
} patience_t;

static patience_t be_patient(void) {
  int64_t t = now();
  return (patience_t){.since = t, .looked = t};
}

/* Waits a little. Returns false when patience has run out. */
static bool wait_on(patience_t *p) {
  uint64_t tail = dmd_channel_tail(memory()), head = dmd_channel_head(memory());
  if (p->spins++ < SPINS) {
    dmd_machine_pause();
    return true;
  }
  nap(NAP_US);
  int64_t t = now();
  if (tail != p->tail || head != p->head) {
    p->tail = tail;
    p->head = head;
    p->since = t;
  }
  if (t - p->since > PATIENCE_MS * MS) {
    give_up();
    return false;
  }
  if (t - p->looked < LOOK_EVERY_MS * MS)
    return true;
  p->looked = t;
  return is_read();
}

/* ---- Writing ---- */

/* Identifies this thread across all processes. Process numbers may clash between namespaces, but
 * addresses hardly do. */
static uint64_t self(void) {
  return (uint64_t)g_channel.pid << 32 | (uint32_t)((uintptr_t)pl_thread() >> 4);
}

/* Returns DMD_PUT_FULL if the caller has to retry. Signals are blocked, since a handler that runs
 * meanwhile could wait for the lock that its own thread holds. */
static dmd_put_t try_to_put(dmd_channel_t *to, const dmd_packet_t *packet, const void *payload) {
  uint64_t owner, me = self();
  bool blocks = !pl_is_confined();
  sigset_t before;
  if (blocks)
    before = pl_signals_block();
  dmd_put_t put = DMD_PUT_FULL;
  if (dmd_channel_lock(to, me, &owner)) {
    put = dmd_channel_put(to, me, packet, payload);
    dmd_channel_unlock(to, me);
  } else if (owner == me) {
    put = DMD_PUT_LOST;
  }
  if (blocks)
    pl_signals_restore(&before);
  return put;
}

static bool send_packet(dmd_packet_kind_t kind, uint64_t stream, const void *payload, size_t n) {
  const dmd_packet_t packet = {
      .kind = kind, .n = (uint32_t)n, .pid = (uint32_t)g_channel.pid, .stream = stream};
  patience_t patience = be_patient();
  while (has_channel()) {
    dmd_put_t put = try_to_put(memory(), &packet, payload);
    if (put != DMD_PUT_FULL)
      return put == DMD_PUT_DONE;
    if (!wait_on(&patience))
      return false;
  }
  return false;
}

/* Waits until the reader has taken everything written so far. */
static bool wait_until_taken(void) {
  patience_t patience = be_patient();
  uint64_t end = dmd_channel_head(memory());
  while ((int64_t)(end - dmd_channel_tail(memory())) > 0)
    if (!wait_on(&patience))
      return false;
  return true;
}

bool pl_channel_say(const char *line) {
  size_t n = dmd_str_length(line);
  n = n < DMD_CHANNEL_MAX_PAYLOAD ? n : DMD_CHANNEL_MAX_PAYLOAD;
  return pl_channel_is_there() && send_packet(DMD_PACKET_SAY, 0, line, n);
}

/* ---- Files ---- */

static bool is_there(void *ctx) {
  (void)ctx;
  return pl_channel_is_there();
}

static bool open_file(void *ctx, const char *listing, size_t n) {
  (void)ctx;
  if (n > DMD_CHANNEL_MAX_PAYLOAD || !is_read())
    return false;
  g_channel.stream = dmd_channel_new_stream(memory());
  g_channel.is_broken = !send_packet(DMD_PACKET_OPEN, g_channel.stream, listing, n);
  return !g_channel.is_broken;
}

static bool write_file(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  while (n > 0 && !g_channel.is_broken) {
    size_t part = n < DMD_CHANNEL_MAX_PAYLOAD ? n : DMD_CHANNEL_MAX_PAYLOAD;
    g_channel.is_broken = !send_packet(DMD_PACKET_DATA, g_channel.stream, bytes, part);
    bytes += part;
    n -= part;
  }
  return !g_channel.is_broken;
}

static bool close_file(void *ctx, bool keep) {
  (void)ctx;
  if (g_channel.is_broken || !keep) {
    send_packet(DMD_PACKET_ABANDON, g_channel.stream, NULL, 0);
    return false;
  }
  return send_packet(DMD_PACKET_CLOSE, g_channel.stream, NULL, 0) && is_read() &&
         wait_until_taken() && !dmd_channel_is_refused(memory(), g_channel.stream);
}

static void wrote(void *ctx, const char *listing, size_t n) {
  (void)ctx;
  if (n <= DMD_CHANNEL_MAX_PAYLOAD)
    send_packet(DMD_PACKET_WROTE, 0, listing, n);
}

const dmd_receiver_t pl_channel_receiver = {.is_there = is_there,
                                            .open = open_file,
                                            .write = write_file,
                                            .close = close_file,
                                            .wrote = wrote};

/* ---- Start and end ---- */

static int receive_descriptor(int from) {
  char byte;
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) <= 0)
    return -1;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  int fd = -1;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof fd))
    dmd_mem_copy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

/* Memory that could shrink later would end this process. */
static dmd_channel_t *map(int fd) {
  struct stat st;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &st) != 0 ||
      st.st_size != sizeof(dmd_channel_t))
    return NULL;
  void *at = mmap(NULL, sizeof(dmd_channel_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    return NULL;
  if (((dmd_channel_t *)at)->magic == DMD_CHANNEL_MAGIC)
    return at;
  munmap(at, sizeof(dmd_channel_t));
  return NULL;
}

/* Gives the token to nobody else: after dmdv has ended, anybody may listen under the socket's name.
 */
static void get_channel(const char *token) {
  int fd = connect_to_dmdv(0), descriptor = -1;
  size_t n = dmd_str_length(token);
  if (fd < 0)
    return;
  if (dmd_posix_peer_is_trusted(fd) && send(fd, token, n, MSG_NOSIGNAL) == (ssize_t)n)
    descriptor = receive_descriptor(fd);
  if (descriptor >= 0) {
    atomic_store(&g_channel.memory, map(descriptor));
    close(descriptor);
  }
  close(fd);
}

void pl_channel_start(const char *where) {
  const char *colon = where == NULL ? NULL : dmd_str_find_char(where, ':');
  size_t n = colon == NULL ? 0 : (size_t)(colon - where);
  g_channel.pid = getpid();
  if (n == 0 || n >= sizeof g_channel.address.sun_path || pl_is_confined())
    return;
  int error = errno;
  g_channel.address_szB = dmd_posix_abstract_address(&g_channel.address, where, n);
  get_channel(colon + 1);
  errno = error;
  char name[NAME_SZB] = "";
  prctl(PR_GET_NAME, name, 0, 0, 0);
  send_packet(DMD_PACKET_START, 0, name, dmd_str_length(name));
}

void pl_channel_forked(void) {
  g_channel.pid = getpid();
  send_packet(DMD_PACKET_FORK, 0, NULL, 0);
}

void pl_channel_end(void) {
  send_packet(DMD_PACKET_END, 0, NULL, 0);
}
