/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that malloc reuses still has its old contents: pointers to a list's nodes, which now lie
 * in blocks of another owner.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(buffer_size_of)

enum { N_BUFFERS = 50, N_NODES = 200 };

struct node {
  struct node *next;
  char text[24];
};

struct list {
  size_t n;
  struct node *first;
};

/* The old contents of a buffer's memory. */
struct visit {
  char padding[0x190];
  struct node *volatile at;
};

static struct node *new_node(struct node *next) {
  struct node *node = malloc(sizeof *node);
  node->next = next;
  return node;
}

/* A ring of nodes; each leads to all. */
static struct list *new_list(void) {
  struct list *list = malloc(sizeof *list);
  list->first = NULL;
  struct node *last = NULL;
  for (list->n = 0; list->n < N_NODES; list->n++) {
    list->first = new_node(list->first);
    last = last != NULL ? last : list->first;
  }
  last->next = list->first;
  return list;
}

static char *new_buffer(void) {
  return malloc(sizeof(struct visit));
}

static struct list *list;
static char *volatile buffers[N_BUFFERS];

int main(void) {
  list = new_list();
  struct visit *visit = malloc(sizeof *visit);
  visit->at = list->first->next;
  void *volatile before = visit;
  free(visit);
  free(malloc(1000)); /* an allocator may wait with memory that was freed until the next free */
  /* The buffers are empty: no code writes to them. */
  int used_again = 0;
  for (int i = 0; i < N_BUFFERS; i++) {
    buffers[i] = new_buffer();
    used_again += buffers[i] == before;
  }
  if (used_again != 1 || ((struct visit *)before)->at != list->first->next)
    return 1;
  DMD_REPORTER_BEGIN("explicit/buffers");
  size_t size = 0;
  for (int i = 0; i < N_BUFFERS; i++)
    size += buffer_size_of(buffers[i]);
  DMD_REPORTER_END(size);
  return 0;
}
