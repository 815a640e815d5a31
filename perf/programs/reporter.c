/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reporter: a reporter that walks a list of blocks and reports each.
 *
 *   reporter [BLOCKS [WALKS [WHAT]]]      default 200,000 blocks, 3 walks, "report"
 *
 * WHAT is the request for each block: "report"; "empty", a request that does nothing
 * (RUNNING_ON_DMD); or "none", nothing at all. perf/report-cost compares the three. Reports are
 * cleared after each walk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/dmd.h>

typedef struct node {
  struct node *next;
  char payload[24];
} node_t;

static size_t report_list(const node_t *list) {
  size_t sum = 0;
  for (; list != NULL; list = list->next)
    sum += DMD_REPORT(list);
  return sum;
}

static size_t ask_nothing_of_list(const node_t *list) {
  size_t sum = 0;
  for (; list != NULL; list = list->next)
    sum += RUNNING_ON_DMD;
  return sum;
}

static size_t count_list(const node_t *list) {
  size_t sum = 0;
  for (; list != NULL; list = list->next)
    sum += (unsigned char)list->payload[0];
  return sum;
}

/* As in real reporters, a function for each structure, and a scope for each reporter. */
__attribute__((noinline)) static size_t measure(const node_t *list, const char *what) {
  if (strcmp(what, "report") == 0)
    return report_list(list);
  return strcmp(what, "empty") == 0 ? ask_nothing_of_list(list) : count_list(list);
}

__attribute__((noinline)) static size_t collect(const node_t *list, const char *what) {
  DMD_REPORTER_BEGIN("explicit/list");
  size_t n = measure(list, what);
  DMD_REPORTER_END(n);
  return n;
}

int main(int argc, char **argv) {
  size_t n_blocks = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
  size_t n_walks = argc > 2 ? strtoul(argv[2], NULL, 10) : 3;
  const char *what = argc > 3 ? argv[3] : "report";
  node_t *list = NULL;
  for (size_t i = 0; i < n_blocks; i++) {
    node_t *node = malloc(sizeof *node);
    if (node == NULL)
      return 1;
    node->payload[0] = 1;
    node->next = list;
    list = node;
  }
  size_t sum = 0;
  for (size_t i = 0; i < n_walks; i++) {
    sum += collect(list, what);
    DMD_CLEAR_REPORTS();
  }
  printf("%zu\n", sum);
  return 0;
}
