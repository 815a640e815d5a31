/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_tree_path: one memory report a line, a byte for its amount and then its path. Nothing gets
 * lost on the way into the trees: the roots hold what was added, each parent what its children
 * hold.
 */
#include "fuzz.h"

#include "reader/host.h"
#include "reader/memreports.h"
#include "reader/tree.h"
#include "reader/tree_text.h"

#include <stdlib.h>
#include <string.h>

/* Adds the lines; returns the sum of their amounts. */
static int64_t add_lines(dmdv_memreports_t *m, char *text) {
  int64_t sum = 0;
  for (char *line = text, *next; line != NULL; line = next) {
    next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    if (line[0] == '\0' || line[1] == '\0')
      continue;
    int64_t amount = (int64_t)(signed char)line[0] * 1000;
    if (dmdv_memreports_add(m, "app (pid 1)", line + 1, DMDV_NONHEAP, DMDV_BYTES, amount, NULL) ==
        NULL)
      sum += amount;
  }
  return sum;
}

static int64_t check_node(const dmdv_trees_t *trees, uint32_t id) {
  const dmdv_node_t *node = dmdv_trees_at(trees, id);
  int64_t sum = 0;
  uint32_t n_kids = 0;
  for (uint32_t kid = node->first_kid; kid != DMD_NONE; kid = dmdv_trees_at(trees, kid)->next) {
    FUZZ_CHECK(dmdv_trees_at(trees, kid)->parent == id);
    sum += check_node(trees, kid);
    n_kids++;
  }
  if (node->first_kid != DMD_NONE)
    FUZZ_CHECK(sum == node->amount && n_kids == node->n_kids);
  return node->amount;
}

static void check_trees(const dmdv_memreports_t *m, int64_t sum, bool show_all) {
  dmdv_trees_t trees;
  dmdv_trees_init(&trees, m->env);
  for (uint32_t i = 0; i < m->n_order; i++)
    dmdv_trees_add(&trees, dmdv_memreports_path(m, m->order[i]),
                   dmdv_memreports_at(m, m->order[i]));
  dmdv_trees_finish(&trees, m->is_diff, show_all);
  int64_t found = 0;
  for (uint32_t root = trees.first_root; root != DMD_NONE; root = dmdv_trees_at(&trees, root)->next)
    found += check_node(&trees, root);
  FUZZ_CHECK(found == sum);
  dmdv_trees_destroy(&trees);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  /* So deep that the check above can recurse. */
  if (n > 4096)
    return 0;
  char *text = fuzz_string(data, n);
  dmdv_memreports_t m;
  const char *path;
  dmdv_memreports_init(&m, &dmdv_env, n % 2 == 1);
  int64_t sum = add_lines(&m, text);
  dmdv_memreports_complete(&m);
  if (dmdv_memreports_settle(&m, &path) == NULL) {
    check_trees(&m, sum, false);
    check_trees(&m, sum, true);
    dmd_out_t out;
    dmd_out_init(&out, fuzz_drop, NULL);
    dmdv_tree_print(&out, &m, "", n % 4 < 2);
    FUZZ_CHECK(dmd_out_flush(&out));
  }
  dmdv_memreports_destroy(&m);
  free(text);
  return 0;
}
