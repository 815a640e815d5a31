/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dumping [MASK]: sets its umask to MASK, in octal, and dumps once. Without MASK: dumps until it
 * is killed, and announces each dump.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *g_kept[2000];

int main(int argc, char **argv) {
  for (int i = 0; i < 2000; i++)
    g_kept[i] = malloc((size_t)i + 1);
  if (argc > 1) {
    umask((mode_t)strtoul(argv[1], NULL, 8));
    DMD_DUMP("once");
    return 0;
  }
  for (;;) {
    if (write(1, ".", 1) != 1)
      return 1;
    DMD_DUMP("again");
  }
}
