/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A loop that goes one step too far round a ring, and so measures the first block again.
 *
 * Mozilla's DMD: twice-reported
 *
 * Expect: twice-reported
 *   blocks: 1
 *   bytes: 104
 *   allocatedAt: ring_add @alloc
 *   reporter: explicit/ring
 *   reportedAt: ring_size_of @fn < ring_measure @loop
 *   otherReporter: explicit/ring
 *   reportedAgainAt: ring_size_of @fn < ring_measure @loop
 *   text: The same place reported it twice: a loop, or a structure that is walked twice
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct node {
  struct node *next;
  char payload[92];
};

DMD_MALLOC_SIZE_OF_FN(ring_size_of) /* @fn */

static struct node *ring_add(struct node *ring) {
  struct node *node = malloc(sizeof *node); /* @alloc */
  node->next = ring != NULL ? ring->next : node;
  if (ring != NULL)
    ring->next = node;
  return node;
}

static void ring_measure(const struct node *ring, int n) {
#ifdef FIXED
  int steps = n;
#else
  int steps = n + 1;
#endif
  DMD_REPORTER_BEGIN("explicit/ring");
  size_t size = 0;
  for (int i = 0; i < steps; i++, ring = ring->next)
    size += ring_size_of(ring); /* @loop */
  DMD_REPORTER_END(size);
}

int main(void) {
  struct node *ring = NULL;
  for (int i = 0; i < 5; i++)
    ring = ring_add(ring);
  ring_measure(ring, 5);
  DMD_DUMP("a ring");
  return 0;
}
