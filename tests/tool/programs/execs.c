/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Forks and executes itself ("parent"), or executes itself at once ("at-once").
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile keep[2];

static void in_parent(void) {
  keep[0] = malloc(111);
}

static void in_new_program(void) {
  keep[1] = malloc(222);
}

int main(int argc, char **argv) {
  const char *role = argc > 1 ? argv[1] : "";
  if (strcmp(role, "new") == 0) {
    in_new_program();
    return 9;
  }
  in_parent();
  if (strcmp(role, "at-once") == 0)
    execl(argv[0], argv[0], "new", (char *)NULL);
  pid_t child = fork();
  if (child == 0) {
    execl(argv[0], argv[0], "new", (char *)NULL);
    _exit(1);
  }
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return 1;
  return WEXITSTATUS(status);
}
