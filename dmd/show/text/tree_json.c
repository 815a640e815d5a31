/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/tree_json.h"

#include "base/format.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "show/text/text_tree.h"

typedef struct {
  dmd_jsonout_t *j;
  const dmd_amounts_t *amounts;
  const dmd_trees_t *trees;
  bool verbose;
  dmd_strbuf_t path; /* of the node being written */
  dmd_strbuf_t name; /* scratch */
} writer_t;

static dmd_node_t *at(const writer_t *w, uint32_t id) {
  return dmd_trees_at(w->trees, id);
}

/* Sets the path to that of a node, whose parent's path is set. A node that sums up tiny ones has
 * its parent's path. */
static void enter(writer_t *w, uint32_t id) {
  dmd_node_t *node = at(w, id);
  dmd_strbuf_cut(&w->path, node->parent != DMD_NONE ? at(w, node->parent)->prefix_szB : 0);
  if (node->name != NULL) {
    dmd_strbuf_str(&w->path, node->parent != DMD_NONE ? "/" : "");
    dmd_strbuf_str(&w->path, node->name);
  }
  node->prefix_szB = w->path.n;
}

/* Writes the members that only leaves have. */
static void write_leaf(writer_t *w, const dmd_node_t *node) {
  const dmd_amount_t *leaf = node->leaf;
  dmd_jsonout_key_str(w->j, "kind", dmd_memreport_kind_name(leaf->kind));
  if (leaf->description != DMD_NONE)
    dmd_jsonout_key_str(w->j, "description",
                        dmd_intern_get_str(&w->amounts->strings, leaf->description));
  if (node->times > 1)
    dmd_jsonout_key_u64(w->j, "n", node->times);
  if (node->shared != 0) {
    char whole[DMD_AMOUNT_MAX];
    dmd_format_amount(whole, node->amount + node->shared, node->units, w->verbose);
    dmd_jsonout_key_str(w->j, "whole", whole);
  }
  if (node->presence != DMD_IN_BOTH)
    dmd_jsonout_key_str(w->j, "only", node->presence == DMD_IN_NEW ? "new" : "old");
}

static void write_name(writer_t *w, const dmd_node_t *node, const char *name) {
  char tiny[DMD_FORMAT_MAX + 16] = "(";
  if (node->name != NULL) {
    dmd_strbuf_cut(&w->name, 0);
    dmd_path_show(&w->name, name);
    dmd_jsonout_key_str(w->j, "name", w->name.text);
    dmd_jsonout_key_str(w->j, "path", w->path.text);
    return;
  }
  size_t n = 1 + dmd_format_u64(tiny + 1, node->n_kids);
  dmd_format_str(tiny + n, " tiny)");
  dmd_jsonout_key_str(w->j, "name", tiny);
  dmd_jsonout_key_u64(w->j, "tiny", node->n_kids);
}

/* The members of a node except its children. */
static void write_node(writer_t *w, const dmd_node_t *node, const char *name) {
  char text[DMD_AMOUNT_MAX];
  write_name(w, node, name);
  dmd_jsonout_key(w->j, "amount");
  dmd_jsonout_i64(w->j, node->amount);
  dmd_jsonout_key_str(w->j, "units", dmd_memreport_units_name(node->units));
  dmd_format_amount(text, node->amount, node->units, w->verbose);
  dmd_jsonout_key_str(w->j, "value", text);
  if (!node->is_single) {
    dmd_format_share(text, node->amount, at(w, node->root)->amount);
    dmd_jsonout_key_str(w->j, "share", text);
  }
  if (node->is_invalid)
    dmd_jsonout_key_bool(w->j, "invalid", true);
  if (node->is_hidden && node->first_kid != DMD_NONE)
    dmd_jsonout_key_bool(w->j, "hidden", true);
  if (node->leaf != NULL)
    write_leaf(w, node);
}

/* The next node after the subtree of this one, within the subtree of top; DMD_NONE if there is
 * none. */
static uint32_t skip(const writer_t *w, uint32_t id, uint32_t top) {
  while (id != top && at(w, id)->next == DMD_NONE)
    id = at(w, id)->parent;
  return id != top ? at(w, id)->next : DMD_NONE;
}

/* Writes all leaves below a node as one list. */
static void write_leaves(writer_t *w, uint32_t top) {
  size_t above = w->path.n + 1;
  uint32_t id = at(w, top)->first_kid;
  while (id != DMD_NONE) {
    enter(w, id);
    const dmd_node_t *node = at(w, id);
    if (node->first_kid != DMD_NONE) {
      id = node->first_kid;
      continue;
    }
    dmd_jsonout_object(w->j, DMD_JSONOUT_INLINE);
    write_node(w, node, w->path.text + above);
    dmd_jsonout_end(w->j);
    id = skip(w, id, top);
  }
}

static void open_node(writer_t *w, uint32_t id) {
  enter(w, id);
  dmd_jsonout_object(w->j, DMD_JSONOUT_INLINE);
  write_node(w, at(w, id), at(w, id)->name);
  if (at(w, id)->first_kid != DMD_NONE) {
    dmd_jsonout_key(w->j, "children");
    dmd_jsonout_array(w->j, DMD_JSONOUT_LINES);
  }
}

static void close_node(writer_t *w, uint32_t id) {
  if (at(w, id)->first_kid != DMD_NONE)
    dmd_jsonout_end(w->j);
  dmd_jsonout_end(w->j);
}

static void write_tree(writer_t *w, uint32_t root) {
  uint32_t id = root;
  int level = 1;
  open_node(w, id);
  for (;;) {
    uint32_t kid = at(w, id)->first_kid;
    if (kid != DMD_NONE && level < DMD_TREE_JSON_LEVELS) {
      id = kid;
      level++;
      open_node(w, id);
      continue;
    }
    if (kid != DMD_NONE)
      write_leaves(w, id);
    close_node(w, id);
    while (id != root && at(w, id)->next == DMD_NONE) {
      id = at(w, id)->parent;
      level--;
      close_node(w, id);
    }
    if (id == root)
      return;
    id = at(w, id)->next;
    open_node(w, id);
  }
}

static void write_process(dmd_jsonout_t *j, const dmd_amounts_t *m, const dmd_process_t *process,
                          bool verbose) {
  const char *notes = dmd_amounts_note(m, m->order[process->from]);
  dmd_trees_t trees;
  dmd_process_trees(process, m, &trees, verbose);
  writer_t w = {.j = j, .amounts = m, .trees = &trees, .verbose = verbose};
  dmd_strbuf_init(&w.path, m->env);
  dmd_strbuf_init(&w.name, m->env);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(j, "name", process->name);
  if (notes[0] != '\0')
    dmd_jsonout_key_str(j, "notes", notes);
  dmd_jsonout_key(j, "trees");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = trees.first_root; id != DMD_NONE; id = dmd_trees_at(&trees, id)->next)
    write_tree(&w, id);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_strbuf_destroy(&w.name);
  dmd_strbuf_destroy(&w.path);
  dmd_trees_destroy(&trees);
}

void dmd_tree_json(dmd_jsonout_t *j, const dmd_amounts_t *m, bool verbose) {
  uint32_t n;
  dmd_process_t *processes = dmd_amounts_processes(m, &n);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(j, "processes");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < n; i++)
    write_process(j, m, &processes[i], verbose);
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
  dmd_env_free(m->env, processes);
}
