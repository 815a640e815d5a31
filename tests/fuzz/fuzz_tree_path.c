/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_tree_path: one memory report a line, a byte for its amount and then its path. No amount gets
 * lost on the way into the trees: the roots hold the sum of all reports, each parent that of its
 * children.
 */
#include "fuzz.h"

#include "analyse/tree/amounts.h"
#include "analyse/tree/tree.h"
#include "host/process.h"
#include "show/text/text_tree.h"

#include <stdlib.h>
#include <string.h>

/* Adds the lines; returns the sum of their amounts. */
static int64_t add_lines(dmd_amounts_t *m, char *text) {
  int64_t sum = 0;
  for (char *line = text, *next; line != NULL; line = next) {
    next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    if (line[0] == '\0' || line[1] == '\0')
      continue;
    int64_t amount = (int64_t)(signed char)line[0] * 1000;
    dmd_memreport_t report = {
        .process = "app (pid 1)", .path = line + 1, .amount = amount, .times = 1};
    if (dmd_amounts_add(m, &report, 0) == NULL)
      sum += amount;
  }
  return sum;
}

static int64_t check_node(const dmd_trees_t *trees, uint32_t id) {
  const dmd_node_t *node = dmd_trees_at(trees, id);
  int64_t sum = 0;
  uint32_t n_kids = 0;
  for (uint32_t kid = node->first_kid; kid != DMD_NONE; kid = dmd_trees_at(trees, kid)->next) {
    FUZZ_CHECK(dmd_trees_at(trees, kid)->parent == id);
    sum += check_node(trees, kid);
    n_kids++;
  }
  if (node->first_kid != DMD_NONE)
    FUZZ_CHECK(sum == node->amount && n_kids == node->n_kids);
  return node->amount;
}

static void check_trees(const dmd_amounts_t *m, int64_t sum, bool show_all) {
  dmd_trees_t trees;
  dmd_trees_init(&trees, m->env);
  for (uint32_t i = 0; i < m->n_order; i++)
    dmd_trees_add(&trees, dmd_amounts_path(m, m->order[i]), dmd_amounts_at(m, m->order[i]));
  dmd_trees_finish(&trees, m->is_diff, show_all);
  int64_t found = 0;
  for (uint32_t root = trees.first_root; root != DMD_NONE; root = dmd_trees_at(&trees, root)->next)
    found += check_node(&trees, root);
  FUZZ_CHECK(found == sum);
  dmd_trees_destroy(&trees);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  /* No deeper than the check above can recurse. */
  if (n > 4096)
    return 0;
  char *text = fuzz_string(data, n);
  dmd_amounts_t m;
  const char *path;
  dmd_amounts_init(&m, &dmdv_env, n % 2 == 1);
  int64_t sum = add_lines(&m, text);
  dmd_amounts_complete(&m);
  if (dmd_amounts_settle(&m, &path) == NULL) {
    check_trees(&m, sum, false);
    check_trees(&m, sum, true);
    fuzz_text_t printed = {0};
    dmd_out_t out;
    dmd_out_init(&out, fuzz_keep, &printed);
    dmd_tree_print(&out, &m, "", n % 4 < 2);
    FUZZ_CHECK(dmd_out_flush(&out));
    fuzz_take_safe(&printed);
  }
  dmd_amounts_destroy(&m);
  free(text);
  return 0;
}
