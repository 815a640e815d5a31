/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of tables: each slot leads to a further table, by two blocks in turns. */
#include <valgrind/dmd.h>

#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 3, DEPTH = 4 };

struct slot {
  int tag;
  struct table *table;
};
struct table {
  struct slot *slots;
  int n;
};
struct table *root;

static struct table *table_new(int depth) {
  struct table *table = malloc(sizeof *table);
  table->n = SLOTS;
  table->slots = malloc(SLOTS * sizeof *table->slots);
  for (int i = 0; i < SLOTS; i++) {
    table->slots[i].tag = i;
    table->slots[i].table = depth > 0 ? table_new(depth - 1) : NULL;
  }
  return table;
}

int main(void) {
  char text[64];
  root = table_new(DEPTH);
  /* A call that uses many registers: none leads to a table any longer. */
  snprintf(text, sizeof text, "%d %g %s", SLOTS, 0.1 * DEPTH, "tables");
  DMD_GRAPH("tables");
  return 0;
}
