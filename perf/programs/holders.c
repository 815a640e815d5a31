/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * holders: a heap of pointers, half of which nobody reports. Allocates BLOCKS live blocks (default
 * 200,000): objects, each with a name, children and data; objects and names are reported, children
 * and data are not. Objects hang on each other in lists of 100. Data has MAX bytes at most (default
 * 400), filled with numbers, some of which are addresses.
 */
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(size_of)

struct object {
  struct object *next;
  char *name;
  struct object **children;
  uint64_t *data;
  uint64_t counts[4];
};

static uint64_t g_random = 1;

static uint64_t next_random(void) {
  g_random ^= g_random << 13;
  g_random ^= g_random >> 7;
  g_random ^= g_random << 17;
  return g_random;
}

static void *allocate(size_t szB) {
  void *p = malloc(szB);
  if (p == NULL)
    abort();
  return p;
}

static uint64_t *new_data(size_t max) {
  size_t n = 2 + next_random() % (max / sizeof(uint64_t));
  uint64_t *data = allocate(n * sizeof *data);
  for (size_t i = 0; i < n; i++)
    data[i] = i % 16 == 0 ? (uintptr_t)data + next_random() % (1 << 20) : next_random() % 100000;
  return data;
}

static struct object *new_object(struct object *next, size_t max) {
  struct object *object = allocate(sizeof *object);
  *object = (struct object){.next = next};
  object->name = allocate(8 + next_random() % 32);
  object->children = allocate(4 * sizeof *object->children);
  for (int i = 0; i < 4; i++)
    object->children[i] = next;
  object->data = new_data(max);
  return object;
}

static void measure(const struct object *object) {
  DMD_REPORTER_BEGIN("explicit/objects");
  size_t szB = size_of(object) + size_of(object->name);
  DMD_REPORTER_END(szB);
}

int main(int argc, char **argv) {
  size_t n = (argc > 1 ? strtoul(argv[1], NULL, 10) : 200000) / 4;
  size_t max = argc > 2 ? strtoul(argv[2], NULL, 10) : 400;
  struct object *object = NULL;
  for (size_t i = 0; i < n; i++) {
    object = new_object(i % 100 == 0 ? NULL : object, max);
    measure(object);
  }
  return 0;
}
