/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/memory/askreporters.h"

#include "base/out.h"
#include "base/posix/posix.h"
#include "base/str.h"
#include "base/utf8.h"
#include "dmdv/memory/systemtrees.h"
#include "files/profile/jsonvalue.h"
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN_NETWORK "/proc/self/ns/net"

enum {
  SIGNAL = 59,
  MAX_LINE = 64 << 10,
  MAX_ANSWER = 32 << 20,
  PAUSE_MS = 10,
  MAX_SKIPPED = 20,
  MAX_TREES = 8
};

/* The lowest bits of a request's number. One is always set, since 0 is not a number. */
enum { ANONYMIZE = 1, ALWAYS = 2, FOR_DUMP = 4, ALL_BITS = 7 };

typedef struct {
  dmd_amounts_t *m; /* NULL: no values are expected */
  uint32_t pid;
  int pidfd; /* -1: the system has no pidfds */
  const char *process;
  int64_t deadline;
  dmd_strbuf_t *notes;
  dmd_jsonvalues_t values;
  /* Trees, as "root/", with the units of each. */
  dmd_intern_t trees;
  dmd_pool_t tree_units;
  dmd_strbuf_t running, skipped;
  uint32_t n_skipped;
  uint64_t n_refused, n_dropped;
  bool is_complete, is_valid, is_out_of_reach, has_unexpected;
} asked_t;

/* ---- Values. ---- */

static double number_of(const char *text) {
  return strtod(text, NULL);
}

/* False: it is no whole number from least to most. */
static bool get_number(const dmd_jsonvalue_t *object, const char *key, int64_t least, int64_t most,
                       int64_t *number) {
  const dmd_jsonvalue_t *v = dmd_jsonvalue_get(object, key);
  if (!dmd_jsonvalue_is(v, DMD_JSONVALUE_NUMBER) || !(v->has_whole || v->has_negative) ||
      v->whole > INT64_MAX)
    return false;
  *number = v->has_negative ? -(int64_t)v->whole : (int64_t)v->whole;
  return *number >= least && *number <= most;
}

static const char *get_text(const dmd_jsonvalue_t *object, const char *key) {
  const dmd_jsonvalue_t *v = dmd_jsonvalue_get(object, key);
  return dmd_jsonvalue_is(v, DMD_JSONVALUE_STRING) ? v->string : NULL;
}

/* Whether the tree of this path has these units; the first path decides. A path without '/' is a
 * tree by itself. */
static bool tree_is_of(asked_t *k, const char *path, uint32_t units) {
  size_t n = strcspn(path, "/");
  uint32_t tree = dmd_intern_bytes(&k->trees, path, n + (path[n] == '/'));
  if (tree > k->tree_units.last) {
    dmd_pool_add(&k->tree_units);
    *DMD_POOL_AT(&k->tree_units, uint32_t, tree) = units;
  }
  return *DMD_POOL_AT(&k->tree_units, uint32_t, tree) == units;
}

/* Values that would falsify the system's, or that a tree in other units cannot hold, go into a tree
 * of their own. False: there are too many trees of such a name. */
static bool add_path(asked_t *k, dmd_strbuf_t *to, const char *path, uint32_t units) {
  static const char *const words[] = {" (bytes)", " (count)", " (cumulative)", " (percentage)"};
  size_t n = strcspn(path, "/");
  dmd_strbuf_str(to, path);
  for (int i = 0; i < MAX_TREES; i++) {
    bool is_systems = dmdv_system_measures(to->text);
    if (!is_systems && tree_is_of(k, to->text, units))
      return true;
    size_t n_root = strcspn(to->text, "/");
    dmd_strbuf_cut(to, n_root);
    dmd_strbuf_str(to, is_systems ? " (reporter)" : words[units]);
    dmd_strbuf_str(to, path + n);
  }
  return false;
}

static void take_value(asked_t *k, const dmd_jsonvalue_t *object) {
  int64_t kind, units, amount;
  const char *path = get_text(object, "path"), *other = get_text(object, "process");
  if (k->m == NULL) {
    k->has_unexpected = true;
    return;
  }
  if (path == NULL || path[0] == '\0' ||
      !get_number(object, "kind", 0, DMD_MEMREPORT_N_KINDS - 1, &kind) ||
      !get_number(object, "units", 0, DMD_MEMREPORT_N_UNITS - 1, &units) ||
      !get_number(object, "amount", -DMD_MEMREPORT_MAX_AMOUNT, DMD_MEMREPORT_MAX_AMOUNT, &amount)) {
    k->n_refused++;
    return;
  }
  dmd_strbuf_t full, process;
  dmd_strbuf_init(&full, &dmdv_env);
  dmd_strbuf_init(&process, &dmdv_env);
  bool has_place = add_path(k, &full, path, (uint32_t)units);
  if (other != NULL && other[0] != '\0') {
    dmd_strbuf_str(&process, other);
    dmd_strbuf_str(&process, ", as reported by ");
  }
  dmd_strbuf_str(&process, k->process);
  const dmd_memreport_t report = {.process = process.text,
                                  .path = full.text,
                                  .description = get_text(object, "description"),
                                  .amount = amount,
                                  .times = 1,
                                  .kind = (uint32_t)kind,
                                  .units = (uint32_t)units};
  k->n_refused += !has_place || dmd_amounts_add(k->m, &report, 0) != NULL;
  dmd_strbuf_destroy(&process);
  dmd_strbuf_destroy(&full);
}

static void take_skipped(asked_t *k, const char *name) {
  if (k->n_skipped++ < MAX_SKIPPED) {
    dmd_strbuf_str(&k->skipped, k->skipped.n > 0 ? ", " : "");
    dmd_strbuf_str(&k->skipped, name);
  }
}

static void take_end(asked_t *k, const dmd_jsonvalue_t *object) {
  int64_t number;
  k->is_complete = true;
  if (get_number(object, "refused", 0, INT32_MAX, &number))
    k->n_refused += (uint64_t)number;
  if (get_number(object, "dropped", 0, INT32_MAX, &number))
    k->n_dropped += (uint64_t)number;
}

/* Whether no object or list is within another: the parser recurses. */
static bool is_flat(const char *line) {
  bool in_string = false;
  int n = 0;
  for (; *line != '\0'; line++) {
    if (in_string && line[0] == '\\' && line[1] != '\0')
      line++;
    else if (*line == '"')
      in_string = !in_string;
    else if (!in_string)
      n += *line == '{' || *line == '[';
  }
  return n == 1;
}

/* False: it is no line of an answer. */
static bool take_line(asked_t *k, const char *line) {
  char *text = dmd_env_alloc(&dmdv_env, "dmdv.memory", dmd_utf8_repair(NULL, line) + 1);
  const char *stop, *name;
  dmd_utf8_repair(text, line);
  const dmd_jsonvalue_t *object =
      is_flat(text) ? dmd_jsonvalues_parse(&k->values, text, strlen(text), &stop) : NULL;
  bool good = dmd_jsonvalue_is(object, DMD_JSONVALUE_OBJECT) && *stop == '\0';
  if (good && dmd_jsonvalue_get(object, "path") != NULL) {
    take_value(k, object);
  } else if (good && (name = get_text(object, "running")) != NULL) {
    dmd_strbuf_cut(&k->running, 0);
    dmd_strbuf_str(&k->running, name);
  } else if (good && (name = get_text(object, "skipped")) != NULL) {
    take_skipped(k, name);
  } else if (good && dmd_jsonvalue_get(object, "end") != NULL) {
    take_end(k, object);
  }
  dmd_env_free(&dmdv_env, text);
  return good;
}

/* ---- The connection. ---- */

/* Waits until fd can be read. False: the deadline has passed, or the process has ended. */
static bool await(const asked_t *k, int fd) {
  for (;;) {
    struct pollfd waiting[] = {{.fd = fd, .events = POLLIN}, {.fd = k->pidfd, .events = POLLIN}};
    int64_t left = k->deadline - dmd_posix_now_ms();
    if (left <= 0)
      return false;
    int n = poll(waiting, 2, left > INT32_MAX ? INT32_MAX : (int)left);
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0)
      return waiting[0].revents != 0;
  }
}

/* Takes the whole lines, and leaves the rest. False: it is no answer. */
static bool take_lines(asked_t *k, dmd_strbuf_t *text) {
  char *line = text->text, *end;
  bool good = true;
  while (good && (end = memchr(line, '\n', text->n - (size_t)(line - text->text))) != NULL) {
    *end = '\0';
    good = end - line < MAX_LINE && strlen(line) == (size_t)(end - line) && take_line(k, line);
    line = end + 1;
  }
  size_t rest = text->n - (size_t)(line - text->text);
  memmove(text->text, line, rest);
  dmd_strbuf_cut(text, rest);
  return good && rest < MAX_LINE;
}

/* Reads what is there, without waiting. False: nothing will follow. */
static bool drain(int fd, dmd_strbuf_t *text) {
  ssize_t part;
  do {
    part = recv(fd, dmd_strbuf_reserve(text, MAX_LINE), MAX_LINE, 0);
    text->n += part > 0 ? (size_t)part : 0;
    text->text[text->n] = '\0';
  } while (part > 0 && text->n < MAX_ANSWER);
  return part < 0 && (errno == EAGAIN || errno == EINTR);
}

static bool follows_soon(const asked_t *k, int fd) {
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  return dmd_posix_now_ms() < k->deadline && poll(&waiting, 1, PAUSE_MS) > 0;
}

/* The process waits while the socket is full. So lines are read as they come, and understood when
 * none follows. */
static void read_answer(asked_t *k, int fd) {
  dmd_strbuf_t text;
  size_t n_all = 0;
  bool good = true, is_open = true;
  dmd_strbuf_init(&text, &dmdv_env);
  while (good && is_open && !k->is_complete && n_all < MAX_ANSWER && await(k, fd)) {
    size_t before = text.n;
    do
      is_open = drain(fd, &text);
    while (is_open && text.n < MAX_ANSWER && follows_soon(k, fd));
    n_all += text.n - before;
    good = take_lines(k, &text);
  }
  k->is_valid = good;
  dmd_strbuf_destroy(&text);
}

/* Anybody who guesses the socket's name may connect; all but the process are turned away. */
static int accept_process(const asked_t *k, int listening) {
  dmd_posix_peer_t peer;
  while (await(k, listening)) {
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && dmd_posix_peer(fd, &peer) == 0 && peer.pid == k->pid)
      return fd;
    if (fd >= 0)
      close(fd);
  }
  return -1;
}

static int open_socket(void) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Whether the process has another network namespace than dmdv, such as that of a container. */
static bool is_elsewhere(const char *network) {
  struct stat theirs, ours;
  return stat(network, &theirs) == 0 && stat(OWN_NETWORK, &ours) == 0 &&
         (theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino);
}

/* A socket in the process's network namespace, in which it looks for the name. Only root can open
 * one in another's. */
static int open_socket_of(asked_t *k) {
  char network[64];
  snprintf(network, sizeof network, "/proc/%" PRIu32 "/ns/net", k->pid);
  if (!is_elsewhere(network))
    return open_socket();
  int there = open(network, O_RDONLY | O_CLOEXEC), here = open(OWN_NETWORK, O_RDONLY | O_CLOEXEC);
  int fd = -1;
  if (there >= 0 && here >= 0 && setns(there, CLONE_NEWNET) == 0) {
    fd = open_socket();
    setns(here, CLONE_NEWNET);
  }
  k->is_out_of_reach = fd < 0;
  if (there >= 0)
    close(there);
  if (here >= 0)
    close(here);
  return fd;
}

static int listen_as(asked_t *k, uint32_t number) {
  char name[64];
  struct sockaddr_un address;
  int n = snprintf(name, sizeof name, DMDV_REPORTERS_MARK ".%08" PRIx32, number);
  socklen_t szB = dmd_posix_abstract_address(&address, name, (size_t)n);
  int fd = open_socket_of(k);
  if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, szB) == 0 && listen(fd, 4) == 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

/* ---- The request. ---- */

/* Whether the process has a handler for the signal. */
static bool has_handler(uint32_t pid) {
  return (dmdv_process_status(pid, "SigCgt", 16) >> (SIGNAL - 1) & 1) != 0;
}

/* Through a pidfd if the system has them, so that the signal reaches the process that was checked.
 */
static bool send_signal(const asked_t *k, uint32_t number) {
  siginfo_t info = {.si_signo = SIGNAL, .si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = (int)number;
  if (k->pidfd >= 0)
    return syscall(SYS_pidfd_send_signal, k->pidfd, SIGNAL, &info, 0) == 0;
  return sigqueue((pid_t)k->pid, SIGNAL, info.si_value) == 0;
}

/* *held: gets the connection if the answer is complete; NULL: close it. */
static dmdv_asked_t ask(asked_t *k, uint32_t bits, int *held) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    return DMDV_ASKED_NOT;
  number = (number & ~(uint32_t)ALL_BITS) | ALWAYS | bits;
  int listening = listen_as(k, number), fd;
  if (listening < 0)
    return DMDV_ASKED_NOT;
  dmdv_asked_t result =
      has_handler(k->pid) && send_signal(k, number) ? DMDV_ASKED_TOO_SLOW : DMDV_ASKED_NOT;
  if (result == DMDV_ASKED_TOO_SLOW && (fd = accept_process(k, listening)) >= 0) {
    read_answer(k, fd);
    if (held != NULL && k->is_complete)
      *held = fd;
    else
      close(fd);
  }
  close(listening);
  return k->is_complete ? DMDV_ASKED_ALL : result;
}

/* ---- Notes. ---- */

static void note(asked_t *k, const char *begin, const char *name, const char *end) {
  dmd_out_t out;
  dmd_out_init(&out, dmd_strbuf_write, k->notes);
  dmd_out_str(&out, "note: ");
  dmd_out_str(&out, begin);
  dmd_out_safe(&out, name);
  dmd_out_str(&out, end);
  dmd_out_str(&out, "\n");
  dmd_out_flush(&out);
}

static void note_number(asked_t *k, const char *what, uint64_t n, const dmd_strbuf_t *names) {
  dmd_strbuf_t text;
  if (n == 0)
    return;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_u64(&text, n);
  if (names != NULL) {
    dmd_strbuf_str(&text, " (");
    dmd_strbuf_bytes(&text, names->text, names->n);
    dmd_strbuf_str(&text, n > MAX_SKIPPED ? ", ...)" : ")");
  }
  note(k, what, text.text, "");
  dmd_strbuf_destroy(&text);
}

static bool has_ended(const asked_t *k) {
  return k->pidfd >= 0 && syscall(SYS_pidfd_send_signal, k->pidfd, 0, NULL, 0) != 0;
}

static void note_slow(asked_t *k, uint32_t seconds) {
  char end[128];
  snprintf(end, sizeof end,
           "\" did not return within %" PRIu32 " s; its values and those of later "
           "reporters are missing",
           seconds);
  if (has_ended(k))
    note(k, "the process ended before it answered", "", "");
  else if (k->running.n > 0)
    note(k, "the reporter \"", k->running.text, end);
  else
    note(k, "the program did not poll in time; the values of its reporters are missing", "", "");
}

static void note_result(asked_t *k, dmdv_asked_t result, uint32_t seconds) {
  if (!k->is_valid)
    note(k, "what it answered is not from the library dmd-reporters", "", "");
  else if (k->is_out_of_reach)
    note(k,
         "its reporters cannot be asked from here: it is in another network namespace, such as a "
         "container's; ask as root, or there",
         "", "");
  else if (result == DMDV_ASKED_NOT)
    note(k, "its reporters cannot be asked: it is starting or ending", "", "");
  else if (result == DMDV_ASKED_TOO_SLOW)
    note_slow(k, seconds);
  if (k->has_unexpected)
    note(k,
         "its reporters do not count for dmd: its dmd-reporters.c was compiled without dmd.h and "
         "valgrind.h; copy dmd.h, too, and install valgrind.h",
         "", "");
  note_number(k, "reporters that did not run, since the program did not poll: ", k->n_skipped,
              &k->skipped);
  note_number(k, "invalid values, which are left out: ", k->n_refused, NULL);
  note_number(k, "values that did not fit into the answer: ", k->n_dropped, NULL);
}

static void begin(asked_t *k, uint32_t seconds) {
  k->is_valid = true;
  k->deadline = dmd_posix_now_ms() + (int64_t)seconds * 1000;
  dmd_jsonvalues_init(&k->values, &dmdv_env, number_of);
  dmd_intern_init(&k->trees, &dmdv_env, "dmdv.memory.trees");
  dmd_pool_init(&k->tree_units, &dmdv_env, "dmdv.memory.trees", sizeof(uint32_t));
  dmd_strbuf_init(&k->running, &dmdv_env);
  dmd_strbuf_init(&k->skipped, &dmdv_env);
  tree_is_of(k, "explicit/", DMD_MEMREPORT_BYTES);
}

static void end(asked_t *k, dmdv_asked_t result, uint32_t seconds) {
  note_result(k, result, seconds);
  dmd_strbuf_destroy(&k->skipped);
  dmd_strbuf_destroy(&k->running);
  dmd_pool_destroy(&k->tree_units);
  dmd_intern_destroy(&k->trees);
  dmd_jsonvalues_destroy(&k->values);
}

dmdv_asked_t dmdv_read_reporters(dmd_amounts_t *m, int fd, const char *process, uint32_t seconds,
                                 dmd_strbuf_t *notes) {
  asked_t k = {.m = m, .process = process, .notes = notes, .pidfd = -1};
  begin(&k, seconds);
  read_answer(&k, fd);
  dmdv_asked_t result = k.is_complete ? DMDV_ASKED_ALL : DMDV_ASKED_TOO_SLOW;
  end(&k, result, seconds);
  return result;
}

static dmdv_asked_t ask_within(asked_t *k, uint32_t bits, int *held, uint32_t seconds) {
  k->pidfd = (int)syscall(SYS_pidfd_open, k->pid, 0);
  begin(k, seconds);
  dmdv_asked_t result = ask(k, bits, held);
  end(k, result, seconds);
  if (k->pidfd >= 0)
    close(k->pidfd);
  return result;
}

dmdv_asked_t dmdv_ask_reporters(dmd_amounts_t *m, uint32_t pid, const char *process, bool anonymize,
                                uint32_t seconds, dmd_strbuf_t *notes) {
  asked_t k = {.m = m, .pid = pid, .process = process, .notes = notes};
  return ask_within(&k, anonymize ? ANONYMIZE : 0, NULL, seconds);
}

dmdv_asked_t dmdv_hold_reporters(uint32_t pid, uint32_t seconds, int *held, dmd_strbuf_t *notes) {
  asked_t k = {.pid = pid, .process = "", .notes = notes};
  *held = -1;
  return ask_within(&k, FOR_DUMP, held, seconds);
}
