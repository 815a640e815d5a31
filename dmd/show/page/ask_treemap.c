/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=treemap: {"name", "by", "bytes", "blocks", states, "share", "children": [...]}: the sums of a
 * query's records by reporter, tag, thread, function, library or file (recordlist.h), as nested
 * areas. Without the key by, it is the first of reporter, tag, file, library and function by which
 * the map has several areas worth looking at; the answer says which. Reporters' paths and files'
 * paths nest by their parts; after LEVELS parts, the rest of a name is one part. Nodes below a
 * thousandth of the whole are left out; "left" counts them.
 *
 * A share is that of the whole map. The map may have more bytes than the heap, since a block counts
 * for each of its reporters; "again" is how many.
 */
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/nest.h"
#include "show/text/text_rows.h"

enum { LEVELS = 20, THOUSAND = 1000 };

typedef struct {
  dmd_jsonout_t *j;
  const dmd_view_t *view;
  dmd_nest_t nest;
  dmd_intern_t parts; /* keys of the nest */
} writer_t;

/* The node of a name. A name without parts, or in brackets, is a single node. */
static uint32_t reach_name(writer_t *w, const char *name, bool has_parts) {
  uint32_t id = DMD_NEST_ROOT;
  has_parts &= name[0] != '(';
  for (int level = 1;; level++) {
    const char *slash = has_parts && level < LEVELS ? dmd_str_find_char(name, '/') : NULL;
    /* A leading '/' stays with the first part. */
    if (slash == name && level == 1)
      slash = dmd_str_find_char(name + 1, '/');
    size_t n = slash != NULL ? (size_t)(slash - name) : dmd_str_length(name);
    id = dmd_nest_reach(&w->nest, id, dmd_intern_bytes(&w->parts, name, n));
    if (slash == NULL)
      return id;
    name = slash + 1;
  }
}

static int64_t whole_of(const writer_t *w) {
  return dmd_nest_at(&w->nest, DMD_NEST_ROOT)->tally.total;
}

static void open_node(const writer_t *w, uint32_t id) {
  const dmd_nest_node_t *node = dmd_nest_at(&w->nest, id);
  dmd_jsonout_object(w->j, DMD_JSONOUT_DENSE);
  dmd_jsonout_key_str(w->j, "name", dmd_intern_get_str(&w->parts, node->key));
  dmd_rows_write_tally(w->j, &node->tally, w->view->profile->mode);
  dmd_answer_key_share(w->j, "share", node->tally.total, whole_of(w));
  if (node->first != DMD_NONE) {
    dmd_jsonout_key(w->j, "children");
    dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  }
}

static void close_node(const writer_t *w, uint32_t id) {
  if (dmd_nest_at(&w->nest, id)->first != DMD_NONE)
    dmd_jsonout_end(w->j);
  dmd_jsonout_end(w->j);
}

static void write_nodes(const writer_t *w) {
  uint32_t id = dmd_nest_at(&w->nest, DMD_NEST_ROOT)->first;
  while (id != DMD_NONE) {
    open_node(w, id);
    uint32_t next = dmd_nest_step(&w->nest, DMD_NEST_ROOT, id);
    uint32_t above = next != DMD_NONE ? dmd_nest_at(&w->nest, next)->parent : DMD_NEST_ROOT;
    for (; id != above; id = dmd_nest_at(&w->nest, id)->parent)
      close_node(w, id);
    id = next;
  }
}

static void write_all(writer_t *w, uint32_t n_left) {
  dmd_nest_node_t *root = dmd_nest_at(&w->nest, DMD_NEST_ROOT);
  dmd_jsonout_object(w->j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(w->j, "name", "(all)");
  dmd_jsonout_key_str(w->j, "by", dmd_by_word(w->view->rows.by));
  dmd_rows_write_tally(w->j, &root->tally, w->view->profile->mode);
  dmd_answer_key_share(w->j, "share", root->tally.total, whole_of(w));
  dmd_answer_key_i64(w->j, "again", root->tally.total - w->view->list.shown.sum.bytes);
  dmd_jsonout_key_u64(w->j, "left", n_left);
  dmd_jsonout_key(w->j, "children");
  dmd_jsonout_array(w->j, DMD_JSONOUT_LINES);
  write_nodes(w);
  dmd_jsonout_end(w->j);
  dmd_jsonout_end(w->j);
}

static void write_treemap(dmd_view_t *view, dmd_jsonout_t *j) {
  const dmd_rows_t *rows = &view->rows.rows;
  dmd_by_t by = rows->names.by;
  bool has_parts = by == DMD_BY_REPORTER || by == DMD_BY_FILE;
  writer_t w = {.j = j, .view = view};
  dmd_nest_init(&w.nest, view->profile->env);
  dmd_intern_init(&w.parts, view->profile->env, "dmd.page.parts");
  for (uint32_t i = 0; i < rows->n; i++)
    dmd_nest_add(&w.nest, reach_name(&w, dmd_rows_name(rows, i), has_parts), dmd_rows_at(rows, i));
  dmd_nest_finish(&w.nest);
  uint64_t whole = dmd_nest_at(&w.nest, DMD_NEST_ROOT)->extent;
  uint32_t n = dmd_nest_shape(&w.nest, DMD_NEST_ROOT, whole / THOUSAND);
  write_all(&w, w.nest.nodes.last - n);
  dmd_intern_destroy(&w.parts);
  dmd_nest_destroy(&w.nest);
}

/* The program named reporters and tags, so two of them are worth a map, however small one is.
 * Nobody named the other sums: a map of these that one area fills says nothing. */
static bool tells_something(const dmd_rows_t *rows, dmd_by_t by) {
  if (rows->n < 2 || by == DMD_BY_REPORTER || by == DMD_BY_TAG)
    return rows->n >= 2;
  double whole = 0;
  for (uint32_t i = 0; i < rows->n; i++)
    whole += (double)dmd_magnitude(dmd_rows_at(rows, i)->total);
  return (double)dmd_magnitude(dmd_rows_at(rows, 0)->total) < 0.9 * whole;
}

static void make_rows(dmd_view_t *view, dmd_by_t by, const dmd_selection_t *selection) {
  static const dmd_by_t keys[] = {DMD_BY_REPORTER, DMD_BY_TAG, DMD_BY_FILE, DMD_BY_LIBRARY,
                                  DMD_BY_FUNCTION};
  enum { N_KEYS = sizeof keys / sizeof *keys };
  if (by != DMD_BY_RECORD) {
    dmd_rowlist_make(&view->rows, &view->list, by, selection);
    return;
  }
  for (size_t i = 0; i < N_KEYS; i++) {
    dmd_rowlist_make(&view->rows, &view->list, keys[i], selection);
    if (tells_something(&view->rows.rows, keys[i]))
      return;
  }
}

bool dmd_ask_treemap(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_selection_t selection;
  dmd_by_t by = dmd_by_read(query);
  dmd_selection_read(&selection, page, query);
  dmd_view_t *view = query->failed ? NULL : dmd_session_view(page, query);
  if (view == NULL)
    return false;
  dmd_recordlist_select(&view->list, page, &selection);
  make_rows(view, by, &selection);
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  write_treemap(view, &j);
  return true;
}
