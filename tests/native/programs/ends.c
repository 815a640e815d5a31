/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program that ends in the way that its argument names. It has a block that an exit handler
 * frees, if exit handlers run.
 *
 * Flags: -pthread
 */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept, *let_go;

static void kept_block(void) {
  kept = malloc(123);
}

static void block_until_exit(void) {
  let_go = malloc(456);
}

static void at_end(void) {
  free(let_go);
  let_go = NULL;
}

static void child_block(void) {
  kept = malloc(789);
}

static int wait_for(pid_t pid) {
  int status;
  if (waitpid(pid, &status, 0) != pid)
    abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* The state of a daemon: its folder, whether it leads a session, and its first files. */
static int describe_daemon(const char *name) {
  char folder[4096], link[64], target[4096];
  FILE *f = fopen(name, "w");
  if (f == NULL || getcwd(folder, sizeof folder) == NULL)
    return 98;
  fprintf(f, "%s %d\n", folder, getsid(0) == getpid());
  for (int fd = 0; fd < 3; fd++) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof target);
    fprintf(f, "%.*s\n", (int)n, target);
  }
  fclose(f);
  return 3;
}

static int end(const char *how, const char *name) {
  pid_t pid;
  if (strcmp(how, "exit") == 0)
    exit(3);
  if (strcmp(how, "_exit") == 0)
    _exit(3);
  if (strcmp(how, "_Exit") == 0)
    _Exit(3);
  if (strcmp(how, "quick_exit") == 0)
    quick_exit(3);
  if (strcmp(how, "fork") == 0) {
    if ((pid = fork()) == 0) {
      child_block();
      exit(3);
    }
    return wait_for(pid);
  }
  if (strcmp(how, "vfork") == 0) {
    if ((pid = vfork()) == 0)
      _exit(3);
    return wait_for(pid);
  }
  if (strcmp(how, "daemon") == 0) {
    if (daemon(name == NULL, name == NULL) != 0)
      return 97;
    child_block();
    return name == NULL ? 3 : describe_daemon(name);
  }
  if (strcmp(how, "pthread_exit") == 0)
    pthread_exit(NULL);
  if (strcmp(how, "errx") == 0)
    errx(3, "the end");
  if (strcmp(how, "error") == 0)
    error(3, 0, "the end");
  if (strcmp(how, "assert") == 0)
    assert(kept == NULL);
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "exec") == 0)
    execl("/bin/sh", "sh", "-c", "env | grep -c -e DMD_OPTIONS -e libdmd; exit 3", (char *)NULL);
  return 3;
}

int main(int argc, char **argv) {
  kept_block();
  block_until_exit();
  atexit(at_end);
  return end(argc > 1 ? argv[1] : "return", argc > 2 ? argv[2] : NULL);
}
