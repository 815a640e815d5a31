/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Before it ends, it changes its folder and its limits, and closes every file that it can.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void *volatile keep;

int main(void) {
  keep = malloc(100);
  if (chdir("/") != 0)
    return 1;
  for (int fd = 0; fd < 1024; fd++)
    close(fd);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
  return 5;
}
