/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profile of some hundred KiB: 2000 blocks of as many sizes and stacks. Exits with 6. With an
 * argument it requests a dump first, and exits with 7 if that could not be written.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static void *volatile keep;

static void left(unsigned path, int depth, size_t size);

static void right(unsigned path, int depth, size_t size) {
  if (depth == 0)
    keep = malloc(size);
  else if (path & 1)
    left(path >> 1, depth - 1, size);
  else
    right(path >> 1, depth - 1, size);
}

static void left(unsigned path, int depth, size_t size) {
  if (depth == 0)
    keep = malloc(size);
  else if (path & 1)
    right(path >> 1, depth - 1, size);
  else
    left(path >> 1, depth - 1, size);
}

int main(int argc, char **argv) {
  (void)argv;
  for (unsigned i = 0; i < 2000; i++)
    left(i * 2654435761u >> 16, 11, i);
  if (argc > 1 && DMD_DUMP(NULL) == 0)
    return 7;
  return 6;
}
