/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program that ends in the way that it is told, with a block that a handler of exit takes away,
 * where there are such.
 */
#define _GNU_SOURCE
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

static int end(const char *how) {
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
  if (strcmp(how, "exec") == 0)
    execl("/bin/sh", "sh", "-c", "env | grep -c -e DMD_OPTIONS -e libdmd; exit 3", (char *)NULL);
  return 3;
}

int main(int argc, char **argv) {
  kept_block();
  block_until_exit();
  atexit(at_end);
  return end(argc > 1 ? argv[1] : "return");
}
