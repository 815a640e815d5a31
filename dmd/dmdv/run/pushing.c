/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/run/pushing.h"

#include "dmdv/commandline/show.h"
#include "dmdv/run/controlled.h"
#include "host/process.h"
#include "host/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DUMP_WITHIN = 120 /* seconds */, NICENESS = 10, MOST_SECONDS = 7 * 86400 };

struct dmdv_pushing {
  const dmdv_push_options_t *options;
  double every, next; /* seconds; next: when to begin, 0: not known yet */
  pid_t child;        /* that asks or sends; 0: none */
  bool is_sending;
  uint64_t *dump; /* the number of the dump, from the child that asks; shared */
  int said;       /* a file with what that child says if it fails; -1: standard error */
  bool is_unsaid; /* it failed, perhaps since the program ends */
  bool has_failed;
  uint32_t n_tried, n_lost;
};

bool dmdv_pushing_take_every(unsigned *every, const char *value, dmd_strbuf_t *why) {
  char *end = NULL;
  unsigned long seconds = value[0] >= '0' && value[0] <= '9' ? strtoul(value, &end, 10) : 0;
  bool good = seconds > 0 && seconds <= MOST_SECONDS && strcmp(end, "s") == 0;
  if (good)
    *every = (unsigned)seconds;
  else
    dmd_strbuf_str(why, "this is not a number of seconds, such as 60s");
  return good;
}

bool dmdv_pushing_check(dmdv_push_options_t *options, unsigned every, bool is_attaching) {
  bool pushes = every > 0 || options->url != NULL;
  if (pushes && is_attaching)
    return dmdv_error("run: --push-to and --push-every are for programs that dmdv starts");
  return !pushes || dmdv_push_check(options, "run", "push-");
}

dmdv_pushing_t *dmdv_pushing_new(const dmdv_push_options_t *options, unsigned every) {
  dmdv_pushing_t *pushing = dmd_env_alloc(&dmdv_env, "dmdv.pushing", sizeof *pushing);
  *pushing = (dmdv_pushing_t){.options = options, .every = every};
  pushing->said = memfd_create("dmd-said", MFD_CLOEXEC);
  void *shared =
      mmap(NULL, sizeof *pushing->dump, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pushing->dump = shared == MAP_FAILED ? NULL : shared;
  return pushing;
}

void dmdv_pushing_free(dmdv_pushing_t *pushing) {
  if (pushing != NULL && pushing->dump != NULL)
    munmap(pushing->dump, sizeof *pushing->dump);
  if (pushing != NULL && pushing->said >= 0)
    close(pushing->said);
  dmd_env_free(&dmdv_env, pushing);
}

bool dmdv_pushing_is_on(const dmdv_pushing_t *pushing) {
  return pushing != NULL && pushing->every > 0 && pushing->dump != NULL;
}

/* ---- The processes. ---- */

/* As fork. The child ends with dmdv, is killed with its own children, and leaves the processor to
 * the program. */
static pid_t begin_child(dmdv_pushing_t *pushing) {
  static const int own[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  fflush(NULL);
  pid_t child = fork();
  if (child > 0) {
    setpgid(child, child);
    pushing->child = child;
  }
  if (child != 0)
    return child;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    signal(own[i], SIG_DFL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpriority(PRIO_PROCESS, 0, NICENESS);
  if (pushing->has_failed && freopen("/dev/null", "w", stderr) == NULL)
    _exit(2);
  return 0;
}

static void ask(dmdv_pushing_t *pushing, pid_t program) {
  pushing->is_sending = false;
  if (begin_child(pushing) != 0)
    return;
  if (pushing->said >= 0)
    dup2(pushing->said, STDERR_FILENO);
  _exit(
      dmdv_ask_for_dump("--push-every", (uint32_t)program, "push", true, DUMP_WITHIN, pushing->dump)
          ? 0
          : 2);
}

static bool send_bytes(const dmdv_pushing_t *pushing, dmdv_native_t *native, int fd) {
  static const char name[] = "--push-every";
  struct stat st;
  dmd_profile_t profile;
  void *bytes = fstat(fd, &st) != 0 || st.st_size == 0
                    ? MAP_FAILED
                    : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED)
    return dmdv_error("run: %s: the profile cannot be read", name);
  if (!dmdv_native_load(native, name, bytes, (size_t)st.st_size, &profile))
    return false;
  bool good = dmdv_push_send(pushing->options, "run", name, &profile);
  dmd_profile_destroy(&profile);
  return good;
}

static void begin_sending(dmdv_pushing_t *pushing, dmdv_native_t *native, int fd) {
  pushing->is_sending = true;
  if (begin_child(pushing) == 0)
    _exit(send_bytes(pushing, native, fd) ? 0 : 2);
  close(fd);
}

/* ---- What became of them. ---- */

static void note_outcome(dmdv_pushing_t *pushing, bool good) {
  if (good && pushing->has_failed)
    dmdv_note("run: --push-every: profiles are sent again");
  pushing->n_tried++;
  pushing->n_lost += !good;
  pushing->has_failed = !good;
}

/* The last question failed, and not since the program was about to end. */
static void say_unsaid(dmdv_pushing_t *pushing) {
  char text[1024];
  ssize_t n = pushing->said >= 0 ? pread(pushing->said, text, sizeof text, 0) : 0;
  if (n > 0 && !pushing->has_failed)
    fwrite(text, 1, (size_t)n, stderr);
  if (n > 0 && ftruncate(pushing->said, 0) == 0)
    lseek(pushing->said, 0, SEEK_SET);
  pushing->is_unsaid = false;
  note_outcome(pushing, false);
}

static void go_on(dmdv_pushing_t *pushing, dmdv_native_t *native, dmdv_received_t *received,
                  bool good) {
  pushing->is_unsaid = !pushing->is_sending && !good;
  if (pushing->is_sending)
    note_outcome(pushing, good);
  if (pushing->is_sending || !good)
    return;
  int fd = dmdv_received_take_out(received, *pushing->dump);
  if (fd < 0 && !pushing->has_failed)
    dmdv_error("run: --push-every: the profile was not received");
  if (fd < 0)
    note_outcome(pushing, false);
  else
    begin_sending(pushing, native, fd);
}

void dmdv_pushing_attend(dmdv_pushing_t *pushing, pid_t program, dmdv_native_t *native,
                         dmdv_received_t *received) {
  int status;
  if (!dmdv_pushing_is_on(pushing))
    return;
  if (pushing->child > 0) {
    if (waitpid(pushing->child, &status, WNOHANG) != pushing->child)
      return;
    pushing->child = 0;
    go_on(pushing, native, received, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return;
  }
  double now = dmdv_seconds();
  if (pushing->next == 0)
    pushing->next = now + pushing->every;
  if (now < pushing->next)
    return;
  pushing->next = now + pushing->every;
  if (pushing->is_unsaid)
    say_unsaid(pushing);
  ask(pushing, program);
}

static void end_child(dmdv_pushing_t *pushing) {
  if (pushing->child <= 0)
    return;
  kill(-pushing->child, SIGKILL);
  while (waitpid(pushing->child, NULL, 0) < 0 && errno == EINTR)
    continue;
  pushing->child = 0;
}

static void note_sent(const dmdv_pushing_t *pushing) {
  char what[32];
  uint32_t n = pushing->n_tried - pushing->n_lost;
  snprintf(what, sizeof what, "%u %s", n, n == 1 ? "profile" : "profiles");
  if (n > 0)
    dmdv_push_note_sent(pushing->options, what);
}

void dmdv_pushing_end(dmdv_pushing_t *pushing, const char *path) {
  const dmd_load_options_t load = {.contents = true, .moment = DMD_MOMENT_ALL};
  dmd_profile_t profile;
  if (pushing == NULL)
    return;
  end_child(pushing);
  if (path != NULL && dmdv_load_or_say(&profile, path, &load)) {
    bool good = dmdv_push_send(pushing->options, "run", path, &profile);
    note_outcome(pushing, good);
    dmd_profile_destroy(&profile);
  }
  note_sent(pushing);
  if (pushing->n_lost > 0)
    dmdv_note("run: %u of %u profiles were not sent", pushing->n_lost, pushing->n_tried);
}
