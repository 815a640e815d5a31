/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * million: a heap for dumping. Allocates BLOCKS live blocks (default 1,000,000) of pseudo-random
 * sizes from 20,000 distinct stacks, and exits with all of them live. Each begins with POINTERS
 * pointers (default 0) to any of them.
 *
 * A stack is chosen by three levels of 28 functions each, called through tables: 28^3 = 21,952
 * paths, of which the first 20,000 are taken in turn.
 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

enum { FAN = 28, STACKS = 20000 };

typedef void *allocate_fn(unsigned path, size_t szB);

/* clang-format lays these macros out anew each time. */
/* clang-format off */
/* FUNCTIONS(name, call): name_0 ... name_27, none of them a tail call, inlined or merged. */
#define ONE(name, i, call)                                                                         \
  __attribute__((noinline, noclone, no_icf)) static void *name##_##i(unsigned path, size_t szB) {  \
    void *volatile p = call;                                                                       \
    return p;                                                                                      \
  }
#define SEVEN(name, a, b, c, d, e, f, g, call)                                                     \
  ONE(name, a, call)                                                                               \
  ONE(name, b, call) ONE(name, c, call) ONE(name, d, call) ONE(name, e, call) ONE(name, f, call)   \
      ONE(name, g, call)
#define FUNCTIONS(name, call)                                                                      \
  SEVEN(name, 0, 1, 2, 3, 4, 5, 6, call)                                                           \
  SEVEN(name, 7, 8, 9, 10, 11, 12, 13, call)                                                       \
  SEVEN(name, 14, 15, 16, 17, 18, 19, 20, call)                                                    \
  SEVEN(name, 21, 22, 23, 24, 25, 26, 27, call)                                                    \
  static allocate_fn *const name[FAN] = {                                                          \
      name##_0,  name##_1,  name##_2,  name##_3,  name##_4,  name##_5,  name##_6,                  \
      name##_7,  name##_8,  name##_9,  name##_10, name##_11, name##_12, name##_13,                 \
      name##_14, name##_15, name##_16, name##_17, name##_18, name##_19, name##_20,                 \
      name##_21, name##_22, name##_23, name##_24, name##_25, name##_26, name##_27}

/* clang-format on */
FUNCTIONS(leaf, (path > 0 ? NULL : malloc(szB)));
FUNCTIONS(middle, leaf[path % FAN](path / FAN, szB));
FUNCTIONS(top, middle[path % FAN](path / FAN, szB));

int main(int argc, char **argv) {
  size_t n_blocks = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
  size_t n_pointers = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  void **blocks = malloc(n_blocks * sizeof *blocks);
  if (blocks == NULL)
    return 1;
  for (size_t i = 0; i < n_blocks; i++) {
    size_t szB = 8 + n_pointers * sizeof(void *) + next_random() % 200;
    unsigned path = (unsigned)(i % STACKS);
    blocks[i] = top[path % FAN](path / FAN, szB);
    if (blocks[i] == NULL)
      return 1;
    *(char *)blocks[i] = 1; /* the memory is there when it is first written to */
  }
  for (size_t i = 0; i < n_blocks; i++)
    for (size_t k = 0; k < n_pointers; k++)
      ((void **)blocks[i])[k] = blocks[next_random() % n_blocks];
  printf("%zu blocks\n", n_blocks);
  return 0;
}
