/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions that say how large a list is, some of them wrongly. Prints what dmdv claims should
 * find: for each function its calls, and for a list what it returned and what is true.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_LISTS = 12 };

typedef struct node {
  struct node *next;
  char *text;
} node_t;

typedef struct list {
  node_t *first;
  char *title;
  size_t n;
} list_t;

static list_t *lists[N_LISTS];
static jmp_buf out;

static char *copy(const char *text) {
  char *copied = malloc(strlen(text) + 1);
  return strcpy(copied, text);
}

static list_t *make_list(int n) {
  list_t *list = malloc(sizeof *list);
  *list = (list_t){.title = copy("a list"), .n = (size_t)n};
  for (int i = 0; i < n; i++) {
    char text[32];
    node_t *node = malloc(sizeof *node);
    snprintf(text, sizeof text, "entry %d", i * i * i);
    *node = (node_t){.next = list->first, .text = copy(text)};
    list->first = node;
  }
  return list;
}

static void free_list(list_t *list) {
  while (list->first != NULL) {
    node_t *node = list->first;
    list->first = node->next;
    free(node->text);
    free(node);
  }
  free(list->title);
  free(list);
}

/* noipa: the functions stay functions, with their arguments. */
#define FUNCTION __attribute__((noipa))

FUNCTION size_t size_right(const list_t *list) {
  size_t szB = sizeof *list + strlen(list->title) + 1;
  for (const node_t *node = list->first; node != NULL; node = node->next)
    szB += sizeof *node + strlen(node->text) + 1;
  return szB;
}

FUNCTION size_t size_without_title(int verbose, const list_t *list) {
  return size_right(list) - (strlen(list->title) + 1) * (verbose == 0);
}

FUNCTION size_t size_with_more(const list_t *list) {
  return size_right(list) + 8 * list->n;
}

/* Recursive: the calls for the rest of the same list are about other blocks. */
FUNCTION size_t size_of_nodes(const node_t *node) {
  return node == NULL ? 0 : sizeof *node + strlen(node->text) + 1 + size_of_nodes(node->next);
}

/* Calls itself for the same object, and ends in a jump to another function. */
FUNCTION size_t size_again(const list_t *list, int depth) {
  if (depth > 0) {
    size_t szB = size_again(list, depth - 1);
    __asm__ volatile("" : "+r"(szB));
    return szB;
  }
  return size_right(list);
}

FUNCTION size_t size_that_leaves(const list_t *list) {
  if (list->n % 2 == 1)
    longjmp(out, 1);
  return size_right(list);
}

FUNCTION size_t size_of_old(const list_t *list) {
  return size_right(list);
}

FUNCTION size_t size_of_growing(const list_t *list) {
  return size_right(list);
}

/* Asks for the size of a list that grows after each answer. */
static size_t ask_and_grow(int n) {
  size_t sum = 0;
  list_t *list = make_list(1);
  for (int i = 0; i < n; i++) {
    sum += size_of_growing(list);
    node_t *node = malloc(sizeof *node);
    *node = (node_t){.next = list->first, .text = copy("one more")};
    list->first = node;
  }
  free_list(list);
  return sum;
}

int main(void) {
  for (int i = 0; i < N_LISTS; i++)
    lists[i] = make_list(i);
  size_t sum = 0;
  for (int i = 0; i < N_LISTS; i++) {
    sum += size_without_title(i < N_LISTS / 2, lists[i]) + size_with_more(lists[i]);
    sum += size_of_nodes(lists[i]->first) + size_again(lists[i], 3);
    if (setjmp(out) == 0)
      sum += size_that_leaves(lists[i]);
  }
  /* A list that is freed at once, and one that grows. */
  list_t *brief = make_list(3);
  sum += size_of_old(brief);
  free_list(brief);
  sum += size_of_old(lists[4]);
  lists[4]->title = realloc(lists[4]->title, 4000);
  sum += ask_and_grow(20);
  const list_t *last = lists[N_LISTS - 1];
  printf("last 0x%lx %zu %zu\n", (unsigned long)last, size_right(last), last->n);
  printf("title %zu\n", strlen(lists[0]->title) + 1);
  return sum == 0;
}
