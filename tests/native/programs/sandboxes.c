/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program that gives up rights that writing a profile usually needs, in the way that its argument
 * names, and then ends. If the system cannot do that, it ends with status 77.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 77, NOBODY = 65534 };

void *kept[1 << 20];
static size_t n_kept;

__attribute__((noinline)) void kept_block(size_t n) {
  kept[n_kept++] = malloc(n);
}

/* ---- seccomp ---- */

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void install(struct sock_filter *filter, size_t n, int by_prctl) {
  const struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    exit(CANNOT);
  long error = by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                        : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
  if (error != 0)
    exit(CANNOT);
}

/* Allows only these system calls, or only the others. */
static void filter_calls(const unsigned *numbers, unsigned n, int are_allowed, int by_prctl) {
  struct sock_filter filter[64] = {NUMBER};
  for (unsigned i = 0; i < n; i++)
    filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i],
                                                 (unsigned char)(n - i), 0);
  struct sock_filter allow = ALLOW, kill = KILL;
  filter[1 + n] = are_allowed ? kill : allow;
  filter[2 + n] = are_allowed ? allow : kill;
  install(filter, n + 3, by_prctl);
}

static void no_files(int by_prctl) {
  static const unsigned numbers[] = {SYS_open, SYS_openat, SYS_openat2, SYS_creat, SYS_socket};
  filter_calls(numbers, sizeof numbers / sizeof *numbers, 0, by_prctl);
}

/* Little more than an allocator needs. */
static void hardly_anything(void) {
  static const unsigned numbers[] = {SYS_write,  SYS_mmap,           SYS_munmap,
                                     SYS_mremap, SYS_madvise,        SYS_brk,
                                     SYS_futex,  SYS_rt_sigreturn,   SYS_exit_group,
                                     SYS_getpid, SYS_rt_sigprocmask, SYS_clock_gettime,
                                     SYS_exit,   SYS_mprotect};
  filter_calls(numbers, sizeof numbers / sizeof *numbers, 1, 0);
}

/* ---- Others. ---- */

static void landlock(void) {
  struct landlock_ruleset_attr rules = {.handled_access_fs = (1 << 13) - 1};
  long fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_landlock_restrict_self, fd, 0) != 0)
    exit(CANNOT);
  close((int)fd);
}

static void become_nobody(void) {
  if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
    exit(CANNOT);
}

static void leave(const char *folder) {
  if (chroot(folder) != 0 || chdir("/") != 0)
    exit(CANNOT);
  become_nobody();
}

/* As coreutils do. */
static void close_streams(void) {
  if (fclose(stdout) != 0 || fclose(stderr) != 0)
    _exit(1);
}

/* Some of other users, as those of a server. */
static void work(int n, int are_others) {
  int begin[2];
  char byte;
  if (pipe(begin) != 0)
    exit(CANNOT);
  for (int i = 0; i < n; i++)
    if (fork() == 0) {
      close(begin[1]);
      if (are_others)
        become_nobody();
      kept_block(1000 + (size_t)i);
      exit(read(begin[0], &byte, 1) == 0 ? 0 : 1); /* all at the same moment */
    }
  close(begin[0]);
  close(begin[1]);
  while (wait(NULL) > 0 || errno == EINTR)
    continue;
}

static void large_part(int depth, unsigned path, size_t n_sizes);

__attribute__((noinline)) static void left(int depth, unsigned path, size_t n_sizes) {
  large_part(depth, path, n_sizes);
  __asm__ volatile("");
}

__attribute__((noinline)) static void right(int depth, unsigned path, size_t n_sizes) {
  large_part(depth, path, n_sizes);
  __asm__ volatile("");
}

__attribute__((noinline)) static void large_part(int depth, unsigned path, size_t n_sizes) {
  if (depth == 0)
    for (size_t i = 1; i <= n_sizes; i++)
      kept_block(i);
  else if ((path & 1) != 0)
    left(depth - 1, path >> 1, n_sizes);
  else
    right(depth - 1, path >> 1, n_sizes);
  __asm__ volatile("");
}

/* Blocks of so many stacks and sizes that a profile of them is large. */
static void be_large(size_t n_sizes) {
  enum { DEPTH = 10 };
  for (unsigned path = 0; path < 1u << DEPTH; path++)
    large_part(DEPTH, path, n_sizes);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  char byte;
  kept_block(123);
  if (strcmp(how, "streams") == 0)
    atexit(close_streams);
  else if (strcmp(how, "descriptors") == 0)
    syscall(SYS_close_range, 0, ~0u, 0);
  else if (strcmp(how, "seccomp") == 0)
    no_files(0);
  else if (strcmp(how, "prctl") == 0)
    no_files(1);
  else if (strcmp(how, "allow-list") == 0)
    hardly_anything();
  else if (strcmp(how, "landlock") == 0)
    landlock();
  else if (strcmp(how, "chroot") == 0)
    leave(argv[2]);
  else if (strcmp(how, "user") == 0)
    become_nobody();
  else if (strcmp(how, "workers") == 0)
    work(atoi(argv[2]), 1);
  else if (strcmp(how, "children") == 0)
    work(atoi(argv[2]), 0);
  else if (strcmp(how, "large") == 0)
    be_large((size_t)atoi(argv[2]));
  else if (strcmp(how, "exit-group") == 0)
    __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(5));
  if (argc > 3 && strcmp(argv[3], "waits") == 0) {
    if (write(1, "ready\n", 6) != 6 || read(0, &byte, 1) < 0)
      return 1;
  }
  return 5;
}
