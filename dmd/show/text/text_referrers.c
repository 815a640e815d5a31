/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_graph.h"

#include "analyse/graph/kinds.h"
#include "base/format.h"
#include "base/jsonout.h"
#include "show/text/print.h"
#include "show/text/record_json.h"

enum { MAX_POINTERS = 8 }; /* of one node, in text */

static const dmd_heapgraph_t *graph_of(const dmd_referrers_view_t *view) {
  return view->kinds->typing->graph;
}

static const char *kind_name(const dmd_referrers_view_t *view, uint32_t node) {
  return dmd_kinds_name(view->kinds, view->kinds->of[node]);
}

/* The first *n frames of a block's stack, cut to max_frames; false if no stack was recorded. */
static bool find_frames(const dmd_referrers_view_t *view, uint32_t node, const uint32_t **frames,
                        size_t *n) {
  const dmd_heapgraph_t *graph = graph_of(view);
  uint32_t stack = dmd_heapgraph_profile_stack(graph, dmd_heapgraph_block(graph, node)->stack);
  *frames = dmd_profile_frames(&graph->profile, stack, n);
  if (*n > view->max_frames)
    *n = view->max_frames;
  return stack != DMD_NONE;
}

static uint32_t node_at(const dmd_referrers_view_t *view, uint32_t step) {
  return *DMD_POOL_AT(&view->chain->nodes, const uint32_t, step);
}

/* ---- Text. ---- */

static void print_hex(dmd_out_t *out, const char *before, uint64_t v) {
  char hex[DMD_FORMAT_MAX];
  dmd_format_hex(hex, v);
  dmd_out_str(out, before);
  dmd_out_str(out, hex);
}

/* `0x4a3b050: 24 bytes (20 requested / 4 slop), jar` */
static void print_block(dmd_out_t *out, const dmd_referrers_view_t *view, uint32_t node) {
  const dmd_heapgraph_t *graph = graph_of(view);
  print_hex(out, "0x", dmd_heapgraph_block(graph, node)->addr);
  dmd_out_str(out, ": ");
  dmd_print_bytes(out, graph->graph.size[node]);
  dmd_out_str(out, " (");
  dmd_print_unsigned(out, dmd_heapgraph_requested(graph, node));
  dmd_out_str(out, " requested / ");
  dmd_print_unsigned(out, dmd_heapgraph_block(graph, node)->slop);
  dmd_out_str(out, " slop), ");
  dmd_print_kind(out, view->kinds, view->kinds->of[node]);
  dmd_out_char(out, '\n');
}

static void print_stack(dmd_out_t *out, const dmd_referrers_view_t *view, uint32_t node) {
  const uint32_t *frames;
  size_t n;
  if (!find_frames(view, node, &frames, &n))
    return;
  dmd_print_stack_opening(out, "Allocated");
  dmd_print_frames(out, "    ", &graph_of(view)->profile, frames, 0, n);
  dmd_out_str(out, "  }\n");
}

/* `next`, `+0x10 (to +0x4)`, `+0x18 (to +0x8, may be no pointer)` */
static void print_pointer(dmd_out_t *out, const dmd_referrers_view_t *view, uint32_t node,
                          uint32_t edge) {
  const dmd_heapgraph_t *graph = graph_of(view);
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(graph, edge);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, graph->env);
  dmd_edge_name(view->kinds->typing, node, edge, &name);
  dmd_out_safe(out, name.text);
  dmd_strbuf_destroy(&name);
  if (interior == NULL)
    return;
  print_hex(out, " (to +0x", interior->into);
  if (dmd_typing_doubts(view->kinds->typing, node, edge))
    dmd_out_str(out, ", may be no pointer");
  dmd_out_char(out, ')');
}

static void print_referrer(dmd_out_t *out, const dmd_referrers_view_t *view, uint32_t to,
                           const dmd_referrer_t *referrer) {
  uint32_t shown = referrer->n < MAX_POINTERS ? referrer->n : MAX_POINTERS;
  bool is_block = dmd_heapgraph_is_block(graph_of(view), referrer->node);
  dmd_out_str(out, "Referrer {\n  ");
  if (is_block) {
    print_block(out, view, referrer->node);
  } else {
    dmd_print_kind(out, view->kinds, view->kinds->of[referrer->node]);
    dmd_out_char(out, '\n');
  }
  for (uint32_t i = 0; i < shown; i++) {
    dmd_out_str(out, i == 0 ? "  At " : ", ");
    print_pointer(out, view, referrer->node,
                  dmd_referrers_edge(view->referrers, to, referrer->first + i));
  }
  if (shown < referrer->n) {
    dmd_out_str(out, " and ");
    dmd_print_count(out, referrer->n - shown, false, "more", "more");
  }
  dmd_out_char(out, '\n');
  if (is_block)
    print_stack(out, view, referrer->node);
  dmd_out_str(out, "}\n\n");
}

/* `3 pointers in 2 places lead to it` */
static void print_referrers(dmd_out_t *out, const dmd_referrers_view_t *view, uint32_t node) {
  dmd_referrer_t referrer = {0};
  uint32_t n = 0, shown = 0;
  int64_t n_pointers = 0;
  while (dmd_referrers_next(view->referrers, node, view->picks, &referrer)) {
    n++;
    n_pointers += referrer.n;
    if (view->max_rows == 0 || n <= view->max_rows) {
      shown++;
      print_referrer(out, view, node, &referrer);
    }
  }
  if (view->chain->end != DMD_CHAIN_NOT_FOLLOWED)
    return;
  dmd_print_left_out(out, n, shown, " more", " more");
  if (n == 0) {
    dmd_out_str(out, "No pointer leads to it.\n");
    return;
  }
  dmd_print_count(out, n_pointers, false, "pointer", "pointers");
  dmd_out_str(out, " in ");
  dmd_print_count(out, n, false, "place", "places");
  dmd_out_str(out, n_pointers == 1 ? " leads to it.\n" : " lead to it.\n");
}

static void print_own_pointers(dmd_out_t *out, const dmd_referrers_view_t *view, uint32_t node) {
  const dmd_graph_t *graph = &graph_of(view)->graph;
  uint32_t first = graph->first[node], end = graph->first[node + 1], n = end - first;
  uint32_t shown = view->max_rows != 0 && view->max_rows < n ? view->max_rows : n;
  for (uint32_t i = 0; i < shown; i++) {
    dmd_out_str(out, i == 0 ? "  Points to {\n    " : "    ");
    print_pointer(out, view, node, first + i);
    dmd_out_str(out, ": ");
    print_block(out, view, graph->target[first + i]);
  }
  if (n > 0) {
    dmd_print_left_out(out, n, shown, " more", " more");
    dmd_out_str(out, "  }\n");
  }
}

static void print_end(dmd_out_t *out, const dmd_referrers_view_t *view) {
  static const char *const ends[DMD_N_CHAIN_ENDS] = {
      "", "Nothing points to the last block.\n", "Several blocks point to the last one.\n",
      "The last one is pointed to by a root.\n",
      "The last one is pointed to by a block of the chain: it is a loop.\n"};
  uint32_t n = view->chain->nodes.last;
  if (view->max_rows != 0 && n > view->max_rows)
    dmd_print_left_out(out, n, view->max_rows, " more block in the chain",
                       " more blocks in the chain");
  else
    dmd_out_str(out, ends[view->chain->end]);
}

void dmd_referrers_print(dmd_out_t *out, const dmd_referrers_view_t *view) {
  uint32_t node = node_at(view, 1), n = view->chain->nodes.last;
  dmd_out_str(out, "Block {\n  ");
  print_block(out, view, node);
  print_stack(out, view, node);
  if (view->referrers == NULL)
    print_own_pointers(out, view, node);
  dmd_out_str(out, "}\n");
  if (view->referrers == NULL)
    return;
  dmd_out_char(out, '\n');
  for (uint32_t step = 1; step <= n && (view->max_rows == 0 || step <= view->max_rows); step++)
    print_referrers(out, view, node_at(view, step));
  if (view->chain->end != DMD_CHAIN_NOT_FOLLOWED)
    print_end(out, view);
}

/* ---- JSON. ---- */

/* As members of the open object. */
static void write_block(dmd_jsonout_t *j, const dmd_referrers_view_t *view, uint32_t node) {
  const dmd_heapgraph_t *graph = graph_of(view);
  const uint32_t *frames;
  size_t n;
  dmd_jsonout_key_address(j, "address", dmd_heapgraph_block(graph, node)->addr);
  dmd_jsonout_key_u64(j, "requested", dmd_heapgraph_requested(graph, node));
  dmd_jsonout_key_u64(j, "slop", dmd_heapgraph_block(graph, node)->slop);
  dmd_jsonout_key_str(j, "type", kind_name(view, node));
  dmd_jsonout_key_str(j, "evidence", dmd_kinds_evidence(view->kinds, view->kinds->of[node]));
  dmd_jsonout_key(j, "allocatedAt");
  if (find_frames(view, node, &frames, &n))
    dmd_json_write_frames(j, &graph->profile, frames, n);
  else
    dmd_jsonout_null(j);
}

static void write_pointer(dmd_jsonout_t *j, const dmd_referrers_view_t *view, uint32_t node,
                          uint32_t edge) {
  const dmd_heapgraph_t *graph = graph_of(view);
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(graph, edge);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, graph->env);
  dmd_edge_name(view->kinds->typing, node, edge, &name);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "member", name.text);
  dmd_jsonout_key_u64(j, "offset", graph->graph.offset[edge]);
  if (interior != NULL)
    dmd_jsonout_key_u64(j, "into", interior->into);
  if (dmd_typing_doubts(view->kinds->typing, node, edge))
    dmd_jsonout_key_bool(j, "doubtful", true);
  dmd_strbuf_destroy(&name);
}

static void write_referrer(dmd_jsonout_t *j, const dmd_referrers_view_t *view, uint32_t to,
                           const dmd_referrer_t *referrer) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  if (dmd_heapgraph_is_block(graph_of(view), referrer->node))
    write_block(j, view, referrer->node);
  else
    dmd_jsonout_key_str(j, "root", kind_name(view, referrer->node));
  dmd_jsonout_key(j, "pointers");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < referrer->n; i++) {
    write_pointer(j, view, referrer->node,
                  dmd_referrers_edge(view->referrers, to, referrer->first + i));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_referrers(dmd_jsonout_t *j, const dmd_referrers_view_t *view, uint32_t node) {
  dmd_referrer_t referrer = {0};
  dmd_jsonout_key(j, "referrers");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  while (dmd_referrers_next(view->referrers, node, view->picks, &referrer))
    write_referrer(j, view, node, &referrer);
  dmd_jsonout_end(j);
}

static void write_own_pointers(dmd_jsonout_t *j, const dmd_referrers_view_t *view, uint32_t node) {
  const dmd_graph_t *graph = &graph_of(view)->graph;
  dmd_jsonout_key(j, "pointers");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
    write_pointer(j, view, node, edge);
    dmd_jsonout_key(j, "to");
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    write_block(j, view, graph->target[edge]);
    dmd_jsonout_end(j);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_step(dmd_jsonout_t *j, const dmd_referrers_view_t *view, uint32_t node) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key(j, "block");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  write_block(j, view, node);
  dmd_jsonout_end(j);
  if (view->referrers != NULL)
    write_referrers(j, view, node);
  else
    write_own_pointers(j, view, node);
  dmd_jsonout_end(j);
}

void dmd_referrers_json(dmd_out_t *out, const dmd_referrers_view_t *view) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&j, "steps");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t step = 1; step <= view->chain->nodes.last; step++)
    write_step(&j, view, node_at(view, step));
  dmd_jsonout_end(&j);
  if (view->chain->end != DMD_CHAIN_NOT_FOLLOWED)
    dmd_jsonout_key_str(&j, "end", dmd_chain_end_name(view->chain->end));
  dmd_jsonout_end(&j);
}
