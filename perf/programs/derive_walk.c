/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Measures a list and a tree of as many nodes as its argument says, by code that dmd-derive wrote
 * of derive_walk.h and by the same walk written by hand, in turns. Prints how long each took: "NAME
 * SECONDS" of processor time, the median of the turns. Ends with 1 if the sums differ.
 */
#define _POSIX_C_SOURCE 200809L
#include "derive_walk.h"
#include "measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t list_by_hand(const struct list *list) {
  size_t size = 0;
  for (; list != NULL; list = list->next)
    size += DMD_REPORT(list) + DMD_REPORT(list->text);
  return size;
}

static size_t tree_by_hand(const struct tree *tree) {
  if (tree == NULL)
    return 0;
  return DMD_REPORT(tree) + DMD_REPORT(tree->text) + tree_by_hand(tree->left) +
         tree_by_hand(tree->right);
}

static struct list *new_list(size_t n) {
  struct list *list = NULL;
  for (; n > 0; n--) {
    struct list *more = malloc(sizeof *more);
    more->next = list;
    more->text = malloc(24);
    list = more;
  }
  return list;
}

/* Balanced, its nodes in the order of their keys in memory, as where sorted input is loaded. */
static struct tree *new_tree(size_t n) {
  if (n == 0)
    return NULL;
  struct tree *tree = malloc(sizeof *tree);
  tree->left = new_tree(n / 2);
  tree->text = malloc(24);
  tree->right = new_tree(n - 1 - n / 2);
  return tree;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { TURNS = 11 };
static double times[4][TURNS];
static size_t sums[4];

#define TIME(which, turn, expression)                                                              \
  do {                                                                                             \
    const double began = seconds();                                                                \
    sums[which] = (expression);                                                                    \
    times[which][turn] = seconds() - began;                                                        \
  } while (0)

int main(int argc, char **argv) {
  static const char *const names[] = {"list by hand", "list derived", "tree by hand",
                                      "tree derived"};
  const size_t n = strtoul(argv[argc - 1], NULL, 10);
  const struct list *list = new_list(n);
  const struct tree *tree = new_tree(n);
  for (int turn = 0; turn < TURNS; turn++) {
    TIME(0, turn, list_by_hand(list));
    DMD_CLEAR_REPORTS();
    TIME(1, turn, list_size_of_including(list));
    DMD_CLEAR_REPORTS();
    TIME(2, turn, tree_by_hand(tree));
    DMD_CLEAR_REPORTS();
    TIME(3, turn, tree_size_of_including(tree));
    DMD_CLEAR_REPORTS();
  }
  for (int i = 0; i < 4; i++) {
    qsort(times[i], TURNS, sizeof times[i][0], compare);
    printf("%s %.6f\n", names[i], times[i][TURNS / 2]);
  }
  return sums[0] != sums[1] || sums[2] != sums[3];
}
