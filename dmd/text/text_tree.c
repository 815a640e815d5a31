/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/text_tree.h"

#include "analysis/processtrees.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "text/amount.h"
#include "text/print.h"

/* ---- Lines. ---- */

typedef struct {
  dmd_out_t *out;
  const dmd_env_t *env;
  const dmd_trees_t *trees;
  bool verbose;
  dmd_strbuf_t prefix; /* the lines that come down from above, left of the current node */
} printer_t;

static void add_prefix(printer_t *p, const char *text, size_t blanks) {
  dmd_strbuf_str(&p->prefix, text);
  for (; blanks > 0; blanks--)
    dmd_strbuf_str(&p->prefix, " ");
}

static void print_name(const printer_t *p, const dmd_node_t *node) {
  if (node->name != NULL) {
    dmd_out_safe(p->out, node->name);
  } else {
    dmd_out_char(p->out, '(');
    dmd_out_u64(p->out, node->n_kids);
    dmd_out_str(p->out, " tiny)");
  }
}

static void print_marks(const printer_t *p, const dmd_node_t *node) {
  if (node->is_invalid)
    dmd_out_str(p->out, " [?!]");
  if (node->times > 1) {
    dmd_out_str(p->out, " [");
    dmd_out_u64(p->out, node->times);
    dmd_out_char(p->out, ']');
  }
  if (node->shared != 0) {
    char whole[DMD_AMOUNT_MAX];
    dmd_format_amount(whole, node->amount + node->shared, node->units, p->verbose);
    dmd_out_str(p->out, " [whole: ");
    dmd_out_str(p->out, whole);
    dmd_out_char(p->out, ']');
  }
  if (node->first_kid == DMD_NONE && node->presence != DMD_IN_BOTH)
    dmd_out_str(p->out, node->presence == DMD_IN_NEW ? " [+]" : " [-]");
}

/* How many characters shorter this node's value is than its parent's. */
static size_t shortfall(const printer_t *p, const dmd_node_t *node) {
  if (node->parent == DMD_NONE)
    return 0;
  uint8_t wanted = dmd_trees_at(p->trees, node->parent)->value_n;
  return wanted > node->value_n ? (size_t)(wanted - node->value_n) : 0;
}

static void print_node(const printer_t *p, dmd_node_t *node) {
  char value[DMD_AMOUNT_MAX], share[DMD_AMOUNT_MAX];
  node->value_n = (uint8_t)dmd_format_amount(value, node->amount, node->units, p->verbose);
  dmd_out_bytes(p->out, p->prefix.text, p->prefix.n);
  if (node->parent != DMD_NONE) {
    dmd_out_str(p->out, node->next != DMD_NONE ? "├──" : "└──");
    for (size_t i = shortfall(p, node); i > 0; i--)
      dmd_out_str(p->out, "─");
  }
  dmd_out_str(p->out, value);
  if (!node->is_single) {
    dmd_format_share(share, node->amount, dmd_trees_at(p->trees, node->root)->amount);
    dmd_out_str(p->out, " (");
    dmd_out_str(p->out, share);
    dmd_out_char(p->out, ')');
  }
  if (node->first_kid == DMD_NONE)
    dmd_out_str(p->out, " ── ");
  else
    dmd_out_str(p->out, node->is_hidden ? " ++ " : " -- ");
  print_name(p, node);
  print_marks(p, node);
  dmd_out_char(p->out, '\n');
}

/* From a node to the one whose line comes next; DMD_NONE after the tree's last. */
static uint32_t step(printer_t *p, uint32_t id) {
  dmd_node_t *node = dmd_trees_at(p->trees, id);
  node->prefix_szB = p->prefix.n;
  if (node->first_kid != DMD_NONE && !node->is_hidden) {
    if (node->parent != DMD_NONE)
      add_prefix(p, node->next != DMD_NONE ? "│  " : "   ", shortfall(p, node));
    return node->first_kid;
  }
  while (node->parent != DMD_NONE && node->next == DMD_NONE)
    node = dmd_trees_at(p->trees, node->parent);
  dmd_strbuf_cut(&p->prefix, node->prefix_szB);
  return node->parent != DMD_NONE ? node->next : DMD_NONE;
}

static void print_tree(printer_t *p, uint32_t root) {
  for (uint32_t id = root; id != DMD_NONE; id = step(p, id))
    print_node(p, dmd_trees_at(p->trees, id));
}

/* ---- Warnings. ---- */

/* The path, the names of whose nodes are known only upwards. */
static void print_path(const printer_t *p, uint32_t id) {
  uint32_t n = 0;
  for (uint32_t up = id; up != DMD_NONE; up = dmd_trees_at(p->trees, up)->parent)
    n++;
  uint32_t *way = dmd_env_alloc(p->env, "dmd.tree.way", n * sizeof *way);
  for (uint32_t i = n, up = id; i > 0; up = dmd_trees_at(p->trees, up)->parent)
    way[--i] = up;
  for (uint32_t i = 0; i < n; i++) {
    dmd_out_str(p->out, i == 0 ? "  " : "/");
    print_name(p, dmd_trees_at(p->trees, way[i]));
  }
  dmd_out_char(p->out, '\n');
  dmd_env_free(p->env, way);
}

static void print_warning(const printer_t *p) {
  if (!p->trees->any_invalid)
    return;
  dmd_out_str(p->out, "warning: these amounts are negative or larger than the whole of which they "
                      "are parts, so\nsomething was counted wrongly, for example twice:\n");
  for (uint32_t id = 1; id <= p->trees->nodes.last; id++)
    if (dmd_trees_at(p->trees, id)->is_invalid)
      print_path(p, id);
}

/* ---- Sections. ---- */

/* A path without '/' has a line of its own; their names are aligned. */
static void print_singles(printer_t *p, uint32_t first) {
  char value[DMD_AMOUNT_MAX];
  size_t width = 0;
  for (uint32_t id = first; id != DMD_NONE; id = dmd_trees_at(p->trees, id)->next) {
    const dmd_node_t *node = dmd_trees_at(p->trees, id);
    size_t n = dmd_format_amount(value, node->amount, node->units, p->verbose);
    width = n > width ? n : width;
  }
  for (uint32_t id = first; id != DMD_NONE; id = dmd_trees_at(p->trees, id)->next) {
    dmd_node_t *node = dmd_trees_at(p->trees, id);
    dmd_strbuf_cut(&p->prefix, 0);
    add_prefix(p, "", width - dmd_format_amount(value, node->amount, node->units, p->verbose));
    print_node(p, node);
  }
}

/* All roots, in their order: explicit, the other trees, the single lines. */
static void print_trees(printer_t *p) {
  uint32_t id = p->trees->first_root;
  if (id != DMD_NONE && !dmd_trees_at(p->trees, id)->is_single &&
      dmd_str_equal(dmd_trees_at(p->trees, id)->name, "explicit")) {
    dmd_out_str(p->out, "Explicit Allocations\n\n");
    print_tree(p, id);
    dmd_out_char(p->out, '\n');
    id = dmd_trees_at(p->trees, id)->next;
  }
  if (id == DMD_NONE)
    return;
  dmd_out_str(p->out, "Other Measurements\n\n");
  for (; id != DMD_NONE && !dmd_trees_at(p->trees, id)->is_single;
       id = dmd_trees_at(p->trees, id)->next) {
    print_tree(p, id);
    dmd_out_char(p->out, '\n');
  }
  if (id != DMD_NONE) {
    print_singles(p, id);
    dmd_out_char(p->out, '\n');
  }
}

/* ---- Processes. ---- */

static void print_process(dmd_out_t *out, const dmd_amounts_t *m, const dmd_process_t *process,
                          const char *notes, bool verbose) {
  dmd_trees_t trees;
  dmd_process_trees(process, m, &trees, verbose);
  printer_t p = {.out = out, .env = m->env, .trees = &trees, .verbose = verbose};
  dmd_strbuf_init(&p.prefix, m->env);
  dmd_out_safe(out, process->name);
  dmd_out_char(out, '\n');
  dmd_out_str(out, notes);
  dmd_out_str(out, dmd_amounts_note(m, m->order[process->from]));
  print_warning(&p);
  dmd_out_char(out, '\n');
  print_trees(&p);
  dmd_out_str(out, "End of ");
  dmd_out_safe(out, process->name);
  dmd_out_char(out, '\n');
  dmd_strbuf_destroy(&p.prefix);
  dmd_trees_destroy(&trees);
}

void dmd_tree_print(dmd_out_t *out, const dmd_amounts_t *m, const char *notes, bool verbose) {
  uint32_t n;
  dmd_process_t *processes = dmd_amounts_processes(m, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0)
      dmd_out_char(out, '\n');
    print_process(out, m, &processes[i], i == 0 ? notes : "", verbose);
  }
  if (n == 0)
    dmd_out_str(out, notes);
  dmd_env_free(m->env, processes);
}

/* ---- Notes. ---- */

void dmd_tree_print_notes(dmd_out_t *out, const dmd_profile_t *profile,
                          const dmd_coverage_t *coverage, bool verbose) {
  if (profile->mode == DMD_MODE_CUMULATIVE) {
    dmd_out_str(out, "note: mode cumulative: amounts are of all blocks ever allocated.\n");
  } else if (profile->mode != DMD_MODE_DARK_MATTER) {
    dmd_out_str(out, "note: mode ");
    dmd_out_str(out, dmd_mode_name(profile->mode));
    dmd_out_str(out, ": no reports were kept.\n");
  }
  if (profile->run.is_known && profile->run.sample_below > 0) {
    dmd_out_str(out, "note: blocks below ");
    dmd_out_u64(out, profile->run.sample_below);
    dmd_out_str(out, " bytes were sampled: amounts are estimates.\n");
  }
  if (profile->run.sample_interval > 0) {
    dmd_out_str(out, "note: one block for each ");
    dmd_out_u64(out, profile->run.sample_interval);
    dmd_out_str(out, " bytes was kept: amounts are estimates.\n");
  }
  if (coverage->twice_szB > 0) {
    char amount[DMD_AMOUNT_MAX];
    dmd_format_amount(amount, coverage->twice_szB, DMD_MEMREPORT_BYTES, verbose);
    dmd_out_str(out, "note: ");
    dmd_out_str(out, amount);
    dmd_out_str(out, " in ");
    dmd_print_count(out, coverage->twice_blocks, false, "block", "blocks");
    dmd_out_str(out, " were reported twice and count twice below, which makes\n"
                     "      heap-unclassified smaller by as much. dmdv print shows these "
                     "blocks.\n");
  }
}
