/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * closed HOW [FOLDER]: a program that the engine cannot be attached to. It prints `ready`, answers
 * each byte that it reads with `worked`, and ends with its input.
 *
 * open: for a caller that makes it impossible.
 * strict: it has only the system calls read, write and exit.
 * filtered: a seccomp filter ends it if it opens a file, or makes one in memory.
 * rooted: FOLDER is its root, in which there is no library.
 * traced: its child traces it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t g_tracer;

static void say(const char *line) {
  if (write(STDOUT_FILENO, line, strlen(line)) < 0)
    _exit(1);
}

static int filter(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

static int let_trace(void) {
  int allowed[2], ready[2];
  char c = 'n';
  pid_t here = getpid();
  if (pipe(allowed) != 0 || pipe(ready) != 0 || (g_tracer = fork()) < 0)
    return 1;
  if (g_tracer == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    c = read(allowed[0], &c, 1) == 1 && ptrace(PTRACE_SEIZE, here, NULL, NULL) == 0 ? 'y' : 'n';
    if (write(ready[1], &c, 1) == 1)
      pause();
    _exit(0);
  }
  prctl(PR_SET_PTRACER, g_tracer, 0, 0, 0); /* as Yama wants it */
  return write(allowed[1], &c, 1) != 1 || read(ready[0], &c, 1) != 1 || c != 'y';
}

static int make(const char *how, const char *folder) {
  if (strcmp(how, "strict") == 0)
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  if (strcmp(how, "filtered") == 0)
    return filter();
  if (strcmp(how, "rooted") == 0)
    return chroot(folder) != 0 || chdir("/") != 0;
  if (strcmp(how, "traced") == 0)
    return let_trace();
  return strcmp(how, "open") != 0;
}

int main(int argc, char **argv) {
  char c;
  say(make(argv[1], argc > 2 ? argv[2] : "") == 0 ? "ready\n" : "impossible\n");
  while (read(STDIN_FILENO, &c, 1) == 1)
    say("worked\n");
  if (g_tracer > 0) {
    kill(g_tracer, SIGKILL);
    waitpid(g_tracer, NULL, 0);
  }
  syscall(SYS_exit, 0); /* the only way out in strict mode */
}
