/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shelf_fixture.h"

#include "profiles/build.h"

typedef struct {
  shelf_t *s;
  uint32_t jars, labels, boxes, pens, reports;
} work_t;

static uint32_t add_stack(dmd_heapgraph_t *graph, const char *function) {
  uint32_t frames[] = {dmd_frames_read_text(&graph->profile.frames, "malloc (vg.c:1)"),
                       dmd_frames_read_text(&graph->profile.frames, function),
                       dmd_frames_read_text(&graph->profile.frames, "main (shelf.c:90)")};
  uint32_t code = dmd_heapgraph_add_code(graph, DMD_NONE, 16, frames, 3);
  return dmd_heapgraph_add_stack(graph, &code, 1);
}

static void add_block(const work_t *w, uint32_t node, uint64_t requested, uint64_t slop,
                      uint32_t stack, uint32_t reports) {
  dmd_graph_block_t block = {.addr = 0x1000 * (uint64_t)node,
                             .slop = (uint32_t)slop,
                             .stack = stack,
                             .reports = reports,
                             .thread = 1};
  dmd_heapgraph_add_block(&w->s->graph, &block, requested + slop);
}

static void add_jar(const work_t *w, uint32_t node, uint32_t label, uint32_t next,
                    uint32_t reports) {
  add_block(w, node, 24, 0, w->jars, reports);
  if (label != 0)
    dmd_heapgraph_add_edge(&w->s->graph, label, 8);
  if (next != 0)
    dmd_heapgraph_add_edge(&w->s->graph, next, 16);
  dmd_heapgraph_end_node(&w->s->graph);
}

static void add_leaf(const work_t *w, uint32_t node, uint64_t requested, uint64_t slop,
                     uint32_t stack, uint32_t reports) {
  add_block(w, node, requested, slop, stack, reports);
  dmd_heapgraph_end_node(&w->s->graph);
}

static void add_roots(dmd_heapgraph_t *g) {
  uint32_t main_frame = dmd_frames_read_text(&g->profile.frames, "main (shelf.c:90)");
  dmd_graph_root_t shelf = {.kind = DMD_ROOT_DATA, .addr = 64, .szB = 16, .name = "shelf"};
  dmd_graph_root_t stack = {.kind = DMD_ROOT_STACK, .addr = 256, .szB = 64, .thread = 1};
  stack.code = dmd_heapgraph_add_code(g, DMD_NONE, 64, &main_frame, 1);
  dmd_heapgraph_add_root(g, &shelf);
  dmd_heapgraph_add_edge(g, JAR_A, 0);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_root(g, &stack);
  dmd_heapgraph_add_edge(g, BOX, 8);
  dmd_heapgraph_end_node(g);
}

static void add_blocks(work_t *w) {
  dmd_heapgraph_t *g = &w->s->graph;
  w->jars = add_stack(g, "jar_new (shelf.c:10)");
  w->labels = add_stack(g, "label_new (shelf.c:20)");
  w->boxes = add_stack(g, "box_new (shelf.c:30)");
  w->pens = add_stack(g, "pen_new (shelf.c:40)");
  w->reports = build_reports(&g->profile, 1, "jar_size_of (shelf.c:50)|jars_measure (shelf.c:60)",
                             "explicit/jars", NULL, NULL);
  add_jar(w, JAR_A, LABEL_A, JAR_B, w->reports);
  add_jar(w, JAR_B, LABEL_B, JAR_C, w->reports);
  add_jar(w, JAR_C, LABEL_C, 0, w->reports);
  add_leaf(w, LABEL_A, 10, 14, w->labels, w->reports);
  add_leaf(w, LABEL_B, 10, 14, w->labels, DMD_NONE);
  add_leaf(w, LABEL_C, 10, 14, w->labels, DMD_NONE);
  add_block(w, BOX, 144, 0, w->boxes, DMD_NONE);
  for (uint32_t i = 0; i < N_PENS; i++)
    dmd_heapgraph_add_edge(g, FIRST_PEN + i, 8 * i);
  dmd_heapgraph_end_node(g);
  for (uint32_t pen = FIRST_PEN; pen <= LAST_PEN; pen++)
    add_leaf(w, pen, 32, 0, w->pens, DMD_NONE);
  add_jar(w, JAR_X, 0, JAR_Y, DMD_NONE);
  add_jar(w, JAR_Y, LABEL_Y, 0, DMD_NONE);
  add_leaf(w, LABEL_Y, 10, 14, w->labels, DMD_NONE);
}

static void set_types(shelf_t *s) {
  dmd_types_t *t = &s->types;
  uint32_t letter = base_of(t, DMD_TYPE_CHARACTER, "char", 1);
  uint32_t number = base_of(t, DMD_TYPE_BASE, "int", 4);
  uint32_t jar = struct_of(t, "jar", 24);
  uint32_t to_jar = dmd_types_pointer_to(t, jar);
  const member_t members[] = {
      {"weight", number, 0}, {"label", dmd_types_pointer_to(t, letter), 8}, {"next", to_jar, 16}};
  members_of(t, jar, members, 3);
  dmd_typing_set(&s->typing, SHELF, array_of(t, to_jar, 2), 0, DMD_EVIDENCE_VARIABLE);
  for (uint32_t node = JAR_A; node <= JAR_C; node++)
    dmd_typing_set(&s->typing, node, jar, 0, DMD_EVIDENCE_SITE);
  for (uint32_t node = LABEL_A; node <= LABEL_C; node++)
    dmd_typing_set(&s->typing, node, letter, 0, DMD_EVIDENCE_POINTER);
  dmd_typing_set(&s->typing, JAR_X, jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, JAR_Y, jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, LABEL_Y, letter, 0, DMD_EVIDENCE_POINTER);
}

void shelf_build(shelf_t *s, const dmd_env_t *env) {
  work_t w = {.s = s};
  dmd_heapgraph_init(&s->graph, env, 2, N_SHELF_NODES - JAR_A, 2 + 7 + N_PENS);
  add_roots(&s->graph);
  add_blocks(&w);
  dmd_types_init(&s->types, env, 8);
  dmd_typing_init(&s->typing, &s->graph, &s->types);
  set_types(s);
  dmd_kinds_init(&s->kinds, &s->typing);
}

void shelf_destroy(shelf_t *s) {
  dmd_kinds_destroy(&s->kinds);
  dmd_typing_destroy(&s->typing);
  dmd_types_destroy(&s->types);
  dmd_heapgraph_destroy(&s->graph);
}

void shelf_init(shelf_t *s) {
  host_init(&s->host);
  shelf_build(s, &s->host.env);
}

void shelf_done(shelf_t *s) {
  shelf_destroy(s);
  host_done(&s->host);
}
