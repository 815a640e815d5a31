/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/edgename.h"

#include "model/graph/heapgraph.h"

/* Appends the member's name in the node's type: "db", "[17].key"; "" if the whole value is the
 * pointer; "+0x10" if no member is known. */
static void append_member(const dmd_typing_t *typing, uint32_t node, uint32_t edge,
                          dmd_strbuf_t *to) {
  uint64_t offset = typing->graph->graph.offset[edge];
  if (dmd_typing_find(typing, node, offset, to) != DMD_NONE)
    return;
  dmd_strbuf_str(to, "+0x");
  dmd_strbuf_hex(to, offset);
}

static bool is_variable(const dmd_typing_t *typing, uint32_t node) {
  return node != DMD_GRAPH_ALL && !dmd_heapgraph_is_block(typing->graph, node) &&
         dmd_heapgraph_root(typing->graph, node)->name != NULL;
}

/* Appends a member, preceded by `joint` if it begins with a name. */
static void join(const dmd_typing_t *typing, uint32_t node, uint32_t edge, const char *joint,
                 dmd_strbuf_t *to) {
  dmd_strbuf_t member;
  dmd_strbuf_init(&member, to->env);
  append_member(typing, node, edge, &member);
  if (member.n > 0 && member.text[0] != '[' && member.text[0] != '+')
    dmd_strbuf_str(to, joint);
  dmd_strbuf_bytes(to, member.text, member.n);
  dmd_strbuf_destroy(&member);
}

void dmd_edge_name(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to) {
  if (node == DMD_GRAPH_ALL)
    dmd_root_name(typing->graph, typing->graph->graph.target[edge], to);
  else if (is_variable(typing, node)) {
    dmd_strbuf_str(to, dmd_heapgraph_root(typing->graph, node)->name);
    join(typing, node, edge, ".", to);
  } else {
    size_t before = to->n;
    append_member(typing, node, edge, to);
    if (to->n == before)
      dmd_strbuf_str(to, "[0]"); /* the block is a single pointer */
  }
}

void dmd_edge_follow(const dmd_typing_t *typing, uint32_t node, uint32_t edge, dmd_strbuf_t *to) {
  if (to->n == 0 || node == DMD_GRAPH_ALL)
    dmd_edge_name(typing, node, edge, to);
  else
    join(typing, node, edge, is_variable(typing, node) ? "." : "->", to);
}
