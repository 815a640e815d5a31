/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap_matrix.h"

#include <stdio.h>

static uint8_t throw_kind(dice_t *dice) {
  static const uint8_t kinds[] = {EDGE_START, EDGE_START, EDGE_START, EDGE_INSIDE, EDGE_USUAL};
  return kinds[dice_below(dice, sizeof kinds)];
}

static void put_into(heap_matrix_t *m, uint32_t block, uint32_t outer) {
  m->outer[block] = outer;
  m->addr[block] = m->addr[outer] + m->requested[outer];
  m->requested[outer] += m->requested[block] + m->slop[block];
}

void heap_matrix_throw(heap_matrix_t *m, dice_t *dice) {
  *m = (heap_matrix_t){.n_roots = (uint32_t)dice_below(dice, 5)};
  uint32_t first = m->n_roots + 1;
  m->n = first + (uint32_t)dice_below(dice, MATRIX_MAX - first);
  for (uint32_t i = 1; i < first; i++)
    m->edges[0][i] = EDGE_START;
  for (uint32_t i = first; i < m->n; i++) {
    m->requested[i] = 8 + dice_below(dice, 1000);
    m->slop[i] = (uint32_t)dice_below(dice, 16);
    m->addr[i] = 0x10000 * (uint64_t)i;
    if (i > first && dice_below(dice, 6) == 0)
      put_into(m, i, m->outer[i - 1] != 0 ? m->outer[i - 1] : i - 1);
  }
  for (uint32_t i = 2; i < m->n; i++)
    if (i >= first && dice_below(dice, 8) > 0)
      m->edges[1 + dice_below(dice, i - 1)][i] = throw_kind(dice);
  uint64_t more = m->n > first ? dice_below(dice, 3) * dice_below(dice, m->n + 1) : 0;
  for (uint64_t i = 0; i < more; i++) {
    uint64_t to = first + dice_below(dice, m->n - first);
    m->edges[1 + dice_below(dice, m->n - 1)][to] = throw_kind(dice);
  }
}

static uint32_t count_edges(const heap_matrix_t *m) {
  uint32_t n = 0;
  for (uint32_t i = 1; i < m->n; i++)
    for (uint32_t j = 0; j < m->n; j++)
      n += m->edges[i][j] != EDGE_NONE;
  return n;
}

static void add_edges(const heap_matrix_t *m, dmd_heapgraph_t *graph, uint32_t node) {
  for (uint32_t to = 0; to < m->n; to++) {
    if (m->edges[node][to] == EDGE_START)
      dmd_heapgraph_add_edge(graph, to, 8 * to);
    else if (m->edges[node][to] != EDGE_NONE)
      dmd_heapgraph_add_interior(graph, to, 8 * to, 8,
                                 m->edges[node][to] == EDGE_USUAL ? DMD_HEURISTIC_LENGTH
                                                                  : DMD_HEURISTIC_NONE);
  }
  dmd_heapgraph_end_node(graph);
}

static uint32_t add_stack(dmd_heapgraph_t *graph, uint32_t node) {
  char function[32];
  snprintf(function, sizeof function, "make_%u (a.c:1)", node);
  uint32_t frame = dmd_frames_read_text(&graph->profile.frames, function);
  uint32_t code = dmd_heapgraph_add_code(graph, DMD_NONE, node, &frame, 1);
  return dmd_heapgraph_add_stack(graph, &code, 1);
}

void heap_matrix_build(const heap_matrix_t *m, dmd_heapgraph_t *graph, const dmd_env_t *env) {
  uint32_t first = m->n_roots + 1;
  dmd_heapgraph_init(graph, env, m->n_roots, m->n - first, count_edges(m));
  for (uint32_t root = 1; root < first; root++) {
    dmd_graph_root_t words = {.kind = DMD_ROOT_REGISTERS, .szB = 8 * m->n};
    dmd_heapgraph_add_root(graph, &words);
    add_edges(m, graph, root);
  }
  for (uint32_t node = first; node < m->n; node++) {
    dmd_graph_block_t block = {.addr = m->addr[node],
                               .slop = m->slop[node],
                               .stack = add_stack(graph, node),
                               .outer = m->outer[node]};
    dmd_heapgraph_add_block(graph, &block, m->requested[node] + m->slop[node]);
    add_edges(m, graph, node);
  }
}

uint32_t heap_matrix_reach(const heap_matrix_t *m, uint32_t from, unsigned kinds,
                           uint32_t without) {
  uint32_t reached = from & ~without, before;
  do {
    before = reached;
    for (uint32_t i = 0; i < m->n; i++)
      for (uint32_t j = 0; j < m->n; j++)
        if ((reached >> i & 1) && (kinds >> m->edges[i][j] & 1) && !(without >> j & 1))
          reached |= UINT32_C(1) << j;
  } while (reached != before);
  return reached;
}
