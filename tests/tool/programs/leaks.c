/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Leaves blocks in all states that a leak check knows: lists that are held, lost, and in a cycle,
 * and a block with a pointer into its middle.
 */
#include <stdlib.h>

struct link {
  struct link *next, *prev;
  char *text;
};

static struct link *make_list(int n) {
  struct link *first = NULL;
  while (n-- > 0) {
    struct link *link = malloc(sizeof *link);
    link->next = first;
    link->prev = NULL;
    link->text = malloc(10 + (size_t)n);
    if (first != NULL)
      first->prev = link;
    first = link;
  }
  return first;
}

struct link *kept;
char *inside;

static void leave_blocks(void) {
  kept = make_list(10);
  make_list(20);
  make_list(4);
  struct link *circle = make_list(3);
  circle->prev = circle->next->next;
  circle->next->next->next = circle;
  inside = (char *)malloc(500) + 7;
}

/* Overwrites the stack of leave_blocks, and the registers. */
static void forget(void) {
  volatile char words[4096];
  for (size_t i = 0; i < sizeof words; i++)
    words[i] = 0;
}

int main(void) {
  leave_blocks();
  forget();
  return 0;
}
