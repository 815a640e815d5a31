/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parent and child after a fork without exec. Prints the child's process id.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *volatile keep[4];

static void before(void) {
  keep[0] = malloc(100);
  keep[1] = malloc(50);
  DMD_REPORT(keep[0]);
}

static void only_parent(void) {
  keep[2] = malloc(200);
}

static void only_child(void) {
  keep[3] = malloc(300);
  DMD_REPORT(keep[3]);
  free(keep[1]);
}

int main(int argc, char **argv) {
  int dumps = argc > 1 && strcmp(argv[1], "dump") == 0;
  before();
  if (dumps && DMD_DUMP("parent") != 1)
    return 4;
  pid_t child = fork();
  if (child == 0) {
    only_child();
    if (dumps && DMD_DUMP("child") != 1)
      _exit(5);
    _exit(7);
  }
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
    return 6;
  only_parent();
  dprintf(1, "%d", (int)child);
  return 0;
}
