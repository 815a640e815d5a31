/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "dmdv/run/controlled.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/posix/posix.h"
#include "base/str.h"
#include "base/utf8.h"
#include "host/process.h"

/* ---- As the user. ---- */

/* Gives up root's rights before dmdv queries another user's process.
 *
 * The answer of a process names files. The owner of the process chooses these files and can replace
 * them at any moment. So root first becomes the user of the process, for good: from then on dmdv
 * can do only what this user could do without root. */

/* As the kernel lists them: real, effective, saved, and for files. */
enum { REAL, EFFECTIVE, SAVED, FOR_FILES, N_IDS };

typedef struct {
  uid_t users[N_IDS];
  gid_t groups[N_IDS];
  gid_t *others; /* of its supplementary groups */
  size_t n_others;
  bool has_users, has_groups, has_others;
} rights_t;

/* ---- The process's. ---- */

static bool read_ids(const char *text, uint32_t ids[N_IDS]) {
  return sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, &ids[REAL], &ids[EFFECTIVE],
                &ids[SAVED], &ids[FOR_FILES]) == N_IDS;
}

static void read_others(const char *text, rights_t *rights) {
  /* Each takes a digit and a blank or more. */
  rights->others = dmd_env_alloc(&dmdv_env, "dmdv.groups", (strlen(text) / 2 + 1) * sizeof(gid_t));
  char *end;
  for (const char *at = text;; at = end) {
    unsigned long group = strtoul(at, &end, 10);
    if (end == at)
      break;
    rights->others[rights->n_others++] = (gid_t)group;
  }
  rights->has_others = true;
}

/* False: the process does not exist. */
static bool read_rights(uint32_t pid, rights_t *rights) {
  char name[64], *line = NULL;
  size_t room = 0;
  snprintf(name, sizeof name, "/proc/%u/status", pid);
  FILE *file = fopen(name, "re");
  while (file != NULL && getline(&line, &room, file) > 0) {
    if (strncmp(line, "Uid:", 4) == 0)
      rights->has_users = read_ids(line + 4, rights->users);
    else if (strncmp(line, "Gid:", 4) == 0)
      rights->has_groups = read_ids(line + 4, rights->groups);
    else if (strncmp(line, "Groups:", 7) == 0 && !rights->has_others)
      read_others(line + 7, rights);
  }
  free(line);
  if (file != NULL)
    fclose(file);
  return rights->has_users && rights->has_groups && rights->has_others;
}

static bool is_still_there(int pidfd) {
  return pidfd < 0 || syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0;
}

static int count_root(const rights_t *rights) {
  int n = 0;
  for (int i = 0; i < N_IDS; i++)
    n += rights->users[i] == 0;
  return n;
}

/* ---- dmdv's own rights. ---- */

static bool has_groups(const rights_t *rights) {
  int n = getgroups(0, NULL);
  if (n < 0 || (size_t)n != rights->n_others)
    return false;
  gid_t *ours = dmd_env_alloc(&dmdv_env, "dmdv.groups", ((size_t)n + 1) * sizeof *ours);
  bool same = getgroups(n, ours) == n;
  for (size_t i = 0; same && i < rights->n_others; i++) {
    bool found = false;
    for (int k = 0; k < n; k++)
      found = found || ours[k] == rights->others[i];
    same = found;
  }
  dmd_env_free(&dmdv_env, ours);
  return same;
}

/* Whether all of root's rights are gone and cannot be regained. */
static bool has_become(const rights_t *rights) {
  uid_t users[3];
  gid_t groups[3];
  if (getresuid(&users[REAL], &users[EFFECTIVE], &users[SAVED]) != 0 ||
      getresgid(&groups[REAL], &groups[EFFECTIVE], &groups[SAVED]) != 0)
    return false;
  for (int i = REAL; i <= SAVED; i++)
    if (users[i] != rights->users[i] || groups[i] != rights->groups[i])
      return false;
  return has_groups(rights) && setresuid((uid_t)-1, 0, (uid_t)-1) != 0 && geteuid() != 0;
}

/* The user ids come last: dropping them also drops the right to change the groups. */
static bool become(const rights_t *rights) {
  const uid_t *users = rights->users;
  const gid_t *groups = rights->groups;
  return setgroups(rights->n_others, rights->others) == 0 &&
         setresgid(groups[REAL], groups[EFFECTIVE], groups[SAVED]) == 0 &&
         setresuid(users[REAL], users[EFFECTIVE], users[SAVED]) == 0;
}

/* ---- Dropping the rights. ---- */

static bool drop(const char *command, uint32_t pid, int pidfd, rights_t *rights) {
  if (!read_rights(pid, rights) || !is_still_there(pidfd))
    return dmdv_error("%s: there is no process %u", command, pid);
  int n_root = count_root(rights);
  if (n_root == N_IDS)
    return true;
  if (n_root > 0)
    return dmdv_error("%s: process %u has rights of root and of user %u: it is not asked by root, "
                      "since files that it names may be another's",
                      command, pid,
                      rights->users[REAL] != 0 ? rights->users[REAL] : rights->users[EFFECTIVE]);
  if (!become(rights))
    return dmdv_error("%s: cannot become user %u, whose process %u is: %s", command,
                      rights->users[EFFECTIVE], pid, strerror(errno));
  return has_become(rights) ||
         dmdv_error("%s: the system does not let dmdv give up the rights of root", command);
}

/* Becomes the user of process pid, with its groups and no others. Does nothing if dmdv does not run
 * as root, or if the process belongs to root too. pidfd: a descriptor of the process, opened
 * before, so that its number cannot have been reused; -1 if the system has no pidfds. Returns 0, or
 * the exit status after a line on stderr. */
static int become_user_of(const char *command, uint32_t pid, int pidfd) {
  if (geteuid() != 0 && getuid() != 0)
    return 0;
  rights_t rights = {.others = NULL};
  bool good = drop(command, pid, pidfd, &rights);
  dmd_env_free(&dmdv_env, rights.others);
  return good ? 0 : DMDV_NOT_ASKED;
}

int dmdv_become_user_of(const char *command, uint32_t pid) {
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  int status = become_user_of(command, pid, pidfd);
  if (pidfd >= 0)
    close(pidfd);
  return status;
}

/* ---- Requests. ---- */

enum { MAX_ANSWER = 1 << 20, MAX_PID = 1 << 22, LINE_SZB = 256 };

/* ---- What the system knows of a process. ---- */

/* 'R' and so on; 0: the process does not exist. */
static char state_of(uint32_t pid) {
  char name[64], line[LINE_SZB], state = 0;
  snprintf(name, sizeof name, "/proc/%u/status", pid);
  FILE *f = fopen(name, "re");
  while (f != NULL && state == 0 && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, "State:", 6) == 0)
      state = line[6 + strspn(line + 6, " \t")];
  if (f != NULL)
    fclose(f);
  return state;
}

/* Whether the process's signal mask of this name includes the engine's signal. */
static bool has_signal(uint32_t pid, const char *mask) {
  return (dmdv_process_status(pid, mask, 16) >> (DMD_CONTROL_SIGNAL - 1) & 1) != 0;
}

typedef struct {
  bool can_read, has_mark, has_engine, has_valgrind, has_libc;
} mapped_t;

static mapped_t look_at_mappings(uint32_t pid) {
  char name[64], line[4608];
  mapped_t mapped = {.can_read = false};
  snprintf(name, sizeof name, "/proc/%u/maps", pid);
  FILE *f = fopen(name, "re");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    mapped.can_read = true;
    mapped.has_mark = mapped.has_mark || strstr(line, "/memfd:" DMD_CONTROL_MARK " ") != NULL;
    mapped.has_engine = mapped.has_engine || strstr(line, "/libdmd.so") != NULL;
    mapped.has_libc =
        mapped.has_libc || strstr(line, "/libc.so.6") != NULL || strstr(line, "/libc-2.") != NULL;
    mapped.has_valgrind = mapped.has_valgrind || strstr(line, "vgpreload_core") != NULL;
  }
  if (f != NULL)
    fclose(f);
  return mapped;
}

bool dmdv_has_engine(uint32_t pid) {
  return look_at_mappings(pid).has_engine;
}

static bool is_of_other_user(uint32_t pid) {
  char name[64];
  struct stat st;
  snprintf(name, sizeof name, "/proc/%u", pid);
  return geteuid() != 0 && stat(name, &st) == 0 && st.st_uid != geteuid();
}

/* Whether dmdv may look into the process. If not, reports why on stderr. */
static bool is_accessible(const char *command, uint32_t pid, mapped_t *mapped) {
  char state = state_of(pid);
  if (state == 0)
    return dmdv_error("%s: process %u does not exist", command, pid);
  if (state == 'Z' || state == 'X')
    return dmdv_error("%s: process %u has ended", command, pid);
  if (is_of_other_user(pid))
    return dmdv_error("%s: process %u belongs to another user", command, pid);
  *mapped = look_at_mappings(pid);
  return mapped->can_read || dmdv_error("%s: the system denies access to process %u", command, pid);
}

bool dmdv_can_be_entered(const char *command, uint32_t pid) {
  mapped_t mapped;
  if (!is_accessible(command, pid, &mapped))
    return false;
  if (mapped.has_valgrind)
    return dmdv_error("%s: process %u runs under Valgrind", command, pid);
  if (mapped.has_mark)
    return dmdv_error("%s: process %u is being recorded already: dmdv dump %u writes a profile",
                      command, pid, pid);
  char state = state_of(pid);
  return (state != 'T' && state != 't') || dmdv_error("%s: process %u is stopped", command, pid);
}

bool dmdv_has_libc(uint32_t pid) {
  return look_at_mappings(pid).has_libc;
}

/* Whether the process can be queried. If not, reports why on stderr. */
static bool can_be_asked(const char *command, uint32_t pid) {
  mapped_t mapped;
  if (!is_accessible(command, pid, &mapped))
    return false;
  if (mapped.has_valgrind && !mapped.has_engine)
    return dmdv_error("%s: process %u runs under Valgrind: use vgdb --pid=%u", command, pid, pid);
  if (!mapped.has_engine)
    return dmdv_error("%s: process %u does not run with dmd's native engine: start it with dmdv "
                      "run --engine=native",
                      command, pid);
  if (!mapped.has_mark || !has_signal(pid, "SigCgt"))
    return dmdv_error("%s: process %u cannot be reached: it runs with --control=no, uses signal %d "
                      "itself, or is just starting or ending",
                      command, pid, DMD_CONTROL_SIGNAL);
  return true;
}

/* ---- The socket. ---- */

/* Returns -1, after a line on stderr, if the socket cannot be made. */
static int listen_as(const char *command, uint32_t number) {
  struct sockaddr_un address;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_control_name(&name, (uint32_t)getpid(), number);
  socklen_t szB = dmd_posix_abstract_address(&address, name.text, name.n);
  dmd_strbuf_destroy(&name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, szB) == 0 && listen(fd, 4) == 0)
    return fd;
  dmdv_error("%s: cannot create a socket: %s", command, strerror(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

/* Sends the signal, through a pidfd if the system has them, so that it reaches the process that was
 * checked. Returns an errno, or 0. */
static int send_signal(uint32_t pid, int pidfd, uint32_t number) {
  siginfo_t info = {.si_signo = DMD_CONTROL_SIGNAL, .si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = (int)number;
  if (pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, DMD_CONTROL_SIGNAL, &info, 0) == 0)
    return 0;
  if (pidfd >= 0 && errno != ENOSYS)
    return errno;
  union sigval value = {.sival_int = (int)number};
  return sigqueue((pid_t)pid, DMD_CONTROL_SIGNAL, value) == 0 ? 0 : errno;
}

/* Waits until fd is ready. False: the deadline has passed, or the process has ended. */
static bool await(int fd, short event, int pidfd, int64_t deadline) {
  for (;;) {
    struct pollfd waiting[] = {{.fd = fd, .events = event}, {.fd = pidfd, .events = POLLIN}};
    int64_t left = deadline - dmd_posix_now_ms();
    if (left <= 0)
      return false;
    int n = poll(waiting, 2, left > INT32_MAX ? INT32_MAX : (int)left);
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0)
      return waiting[0].revents != 0;
  }
}

/* Checks that the peer is the queried process and has the same rights as dmdv. */
static bool is_process(int fd, uint32_t pid) {
  dmd_posix_peer_t peer;
  return dmd_posix_peer(fd, &peer) == 0 && peer.pid == pid && peer.user == geteuid();
}

/* Anybody who guesses the socket's name may connect; all but the process are turned away. */
static int accept_process(int listening, uint32_t pid, int pidfd, int64_t deadline) {
  while (await(listening, POLLIN, pidfd, deadline)) {
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && is_process(fd, pid))
      return fd;
    if (fd >= 0)
      close(fd);
  }
  return -1;
}

static bool write_line(int fd, const dmd_strbuf_t *line, int64_t deadline) {
  size_t n = 0;
  while (n < line->n && await(fd, POLLOUT, -1, deadline)) {
    ssize_t sent = send(fd, line->text + n, line->n - n, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    n += sent > 0 ? (size_t)sent : 0;
  }
  return n == line->n;
}

/* Reads everything until the other end closes. */
static bool read_answer(int fd, dmd_strbuf_t *text, int64_t deadline) {
  char part[4096];
  while (text->n <= MAX_ANSWER && await(fd, POLLIN, -1, deadline)) {
    ssize_t got = recv(fd, part, sizeof part, 0);
    if (got == 0)
      return true;
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    dmd_strbuf_bytes(text, part, got > 0 ? (size_t)got : 0);
  }
  return false;
}

/* ---- The query. ---- */

static void say_no_answer(const char *command, uint32_t pid, uint32_t seconds) {
  char state = state_of(pid);
  if (state == 0 || state == 'Z' || state == 'X')
    dmdv_error("%s: process %u ended before it answered", command, pid);
  else if (state == 'T' || state == 't')
    dmdv_error("%s: process %u is stopped and can answer only when it continues (kill -CONT %u)",
               command, pid, pid);
  else if (state == 'D')
    dmdv_error(
        "%s: process %u is in a system call that no signal interrupts: no answer within %u seconds",
        command, pid, seconds);
  else if (has_signal(pid, "SigBlk"))
    dmdv_error("%s: process %u blocks signal %d: no answer within %u seconds", command, pid,
               DMD_CONTROL_SIGNAL, seconds);
  else
    dmdv_error("%s: no answer from process %u within %u seconds; --timeout waits longer", command,
               pid, seconds);
}

typedef struct {
  const char *command;
  uint32_t pid, seconds;
  int pidfd; /* -1: the system has no pidfds */
  int64_t deadline;
} question_t;

static bool talk(const question_t *q, int listening, const dmd_control_t *request,
                 dmd_strbuf_t *text) {
  int fd = accept_process(listening, q->pid, q->pidfd, q->deadline);
  if (fd < 0)
    return false;
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &dmdv_env);
  dmd_control_write(&line, request);
  bool good = write_line(fd, &line, q->deadline) && read_answer(fd, text, q->deadline);
  dmd_strbuf_destroy(&line);
  close(fd);
  return good;
}

static int ask(const question_t *q, const dmd_control_t *request, dmd_strbuf_t *text) {
  uint32_t number;
  char state = state_of(q->pid);
  if (state == 'T' || state == 't') {
    say_no_answer(q->command, q->pid, q->seconds);
    return DMDV_NO_ANSWER;
  }
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    number = (uint32_t)dmd_posix_now_ms();
  int listening = listen_as(q->command, number);
  if (listening < 0)
    return 2;
  int error = send_signal(q->pid, q->pidfd, number), status = 0;
  if (error != 0) {
    dmdv_error("%s: cannot signal process %u: %s", q->command, q->pid, strerror(error));
    status = DMDV_NOT_ASKED;
  } else if (!talk(q, listening, request, text)) {
    say_no_answer(q->command, q->pid, q->seconds);
    status = DMDV_NO_ANSWER;
  }
  close(listening);
  return status;
}

static double number_of(const char *text) {
  return strtod(text, NULL);
}

/* Limits the nesting, since the parser recurses. Brackets within strings count too, but the
 * answer's strings have practically none. */
static bool is_shallow(const dmd_strbuf_t *text) {
  int depth = 0, deepest = 0;
  for (size_t i = 0; i < text->n; i++) {
    depth += text->text[i] == '{' || text->text[i] == '[';
    depth -= text->text[i] == '}' || text->text[i] == ']';
    if (depth > deepest)
      deepest = depth;
  }
  return deepest < 64;
}

/* The whole text must be one object, in UTF-8. */
static bool read_object(dmdv_answer_t *answer) {
  const char *text = answer->text.text, *stop;
  if (!is_shallow(&answer->text) || strlen(text) != answer->text.n || !dmd_utf8_is_valid(text))
    return false;
  answer->object = dmd_jsonvalues_parse(&answer->values, text, answer->text.n, &stop);
  return dmd_jsonvalue_is(answer->object, DMD_JSONVALUE_OBJECT) &&
         stop[strspn(stop, " \t\r\n")] == '\0';
}

int dmdv_ask_process(const char *command, uint32_t pid, const dmd_control_t *request,
                     uint32_t seconds, dmdv_answer_t *answer) {
  question_t q = {.command = command, .pid = pid, .seconds = seconds};
  q.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  q.deadline = dmd_posix_now_ms() + (int64_t)seconds * 1000;
  int status = can_be_asked(command, pid) ? become_user_of(command, pid, q.pidfd) : DMDV_NOT_ASKED;
  if (status == 0)
    status = ask(&q, request, &answer->text);
  if (q.pidfd >= 0)
    close(q.pidfd);
  if (status != 0)
    return status;
  if (!read_object(answer)) {
    dmdv_error("%s: process %u sent an invalid answer", command, pid);
    return DMDV_NO_ANSWER;
  }
  return 0;
}

/* ---- Answers. ---- */

void dmdv_answer_init(dmdv_answer_t *answer) {
  answer->object = NULL;
  dmd_strbuf_init(&answer->text, &dmdv_env);
  dmd_jsonvalues_init(&answer->values, &dmdv_env, number_of);
}

void dmdv_answer_destroy(dmdv_answer_t *answer) {
  dmd_jsonvalues_destroy(&answer->values);
  dmd_strbuf_destroy(&answer->text);
}

void dmdv_answer_write(void *answer, dmd_out_t *out) {
  dmd_jsonout_relay(out, ((const dmdv_answer_t *)answer)->text.text);
}

bool dmdv_ask_for_dump(const char *option, uint32_t pid, const char *label, bool is_sent,
                       uint32_t seconds, uint64_t *number) {
  const dmd_control_t request = {
      .command = DMD_CONTROL_DUMP, .send = is_sent, .label = label, .n_label = strlen(label)};
  dmdv_answer_t answer;
  dmdv_answer_init(&answer);
  bool good = dmdv_ask_process("run", pid, &request, seconds, &answer) == 0;
  const char *error = good ? dmdv_answer_text(answer.object, "error") : NULL;
  if (error != NULL)
    dmdv_error("run: %s: process %u: %s", option, pid, error);
  *number = good ? (uint64_t)dmdv_answer_number(answer.object, "number") : 0;
  dmdv_answer_destroy(&answer);
  return good && error == NULL;
}

uint32_t dmdv_read_pid(const char *command, const char *text) {
  uint64_t pid;
  if (dmd_str_to_u64(text, 10, &pid) && pid > 0 && pid <= MAX_PID)
    return (uint32_t)pid;
  dmdv_error("%s: %s is not a process id", command, text);
  return 0;
}

const char *dmdv_answer_text(const dmd_jsonvalue_t *object, const char *key) {
  const dmd_jsonvalue_t *value = dmd_jsonvalue_get(object, key);
  return dmd_jsonvalue_is(value, DMD_JSONVALUE_STRING) ? value->string : NULL;
}

double dmdv_answer_number(const dmd_jsonvalue_t *object, const char *key) {
  const dmd_jsonvalue_t *value = dmd_jsonvalue_get(object, key);
  return dmd_jsonvalue_is(value, DMD_JSONVALUE_NUMBER) ? value->number : 0;
}
