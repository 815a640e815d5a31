/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * As many live blocks as the argument says, one of which holds the first of the others, and is
 * reported unless there is a second argument. The analysis is the one at exit.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(size_of)

static void **make(void) {
  return calloc(1, sizeof(void *));
}

int main(int argc, char **argv) {
  static void **volatile last;
  void **first = malloc(sizeof(void *)), **all = first;
  for (long i = argc > 1 ? atol(argv[1]) : 2; i > 1; i--) {
    *all = make();
    all = *all;
  }
  last = all;
  if (argc <= 2)
    size_of(first);
  return last == NULL;
}
