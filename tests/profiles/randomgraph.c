/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "randomgraph.h"

enum { WORD = 8, FILL = 0xa5 };
enum { MAX_BLOCKS = 60, MAX_ROOTS = 8, MAX_EDGES = 5, MAX_TREE = 6, MAX_THINGS = 6 };

typedef struct {
  dmd_heapgraph_t *graph;
  const random_dice_t *dice;
  uint32_t n_blocks, n_roots;
  uint32_t n_stacks; /* the final number */
} maker_t;

static uint64_t below(const maker_t *m, uint64_t n) {
  return m->dice->below(m->dice->ctx, n);
}

static bool one_in(const maker_t *m, uint64_t n) {
  return below(m, n) == 0;
}

static const char *word(const maker_t *m) {
  static const char *const words[] = {
      "main",       "new",          "term::grow", "explicit/words",
      "explicit/a", "\xc3\xa4 b",   "calloc",     "/usr/lib/libx.so",
      "a.c",        "malloc (m.c)", "\n"};
  return words[below(m, sizeof words / sizeof *words)];
}

static const char *word_or_none(const maker_t *m) {
  return one_in(m, 3) ? NULL : word(m);
}

/* ---- Everything but the nodes. ---- */

static void make_run(const maker_t *m) {
  dmd_profile_t *profile = &m->graph->profile;
  profile->mode = (dmd_mode_t)below(m, DMD_MODE_SCAN + 1);
  profile->run = (dmd_run_t){.is_known = true,
                             .version = dmd_profile_keep(profile, word(m)),
                             .folder = dmd_profile_keep(profile, word_or_none(m)),
                             .label = dmd_profile_keep(profile, word_or_none(m)),
                             .trigger = "exit",
                             .pid = below(m, 1 << 20),
                             .dump_number = below(m, 3),
                             .word_szB = WORD};
  for (uint64_t n = below(m, 3); n > 0; n--)
    dmd_profile_add_argument(profile, word(m));
}

static void make_objects(const maker_t *m) {
  for (uint64_t n = below(m, 4); n > 0; n--) {
    dmd_graph_object_t object = {.path = word(m),
                                 .soname = word_or_none(m),
                                 .bias = below(m, 2) << 20,
                                 .start = below(m, 1 << 20),
                                 .szB = below(m, 1 << 20)};
    if (one_in(m, 2)) {
      object.build_id = "\0\xff\1";
      object.n_build_id = 3;
    }
    dmd_heapgraph_add_object(m->graph, &object);
  }
}

static uint32_t any_object(const maker_t *m) {
  return (uint32_t)below(m, (uint64_t)m->graph->objects.last + 1);
}

/* The frames that a reader makes of an address: see load_graph_names.c. */
static uint32_t make_code(const maker_t *m) {
  uint32_t object = any_object(m), frames[MAX_TREE], n = 1 + (uint32_t)below(m, 3);
  uint64_t addr = below(m, 1 << 16);
  for (uint32_t i = 0; i < n; i++) {
    dmd_location_t location = {.function = word(m), .offset = DMD_OFFSET_UNKNOWN};
    if (object != DMD_NONE)
      location.object = dmd_heapgraph_object(m->graph, object)->path;
    if (one_in(m, 2)) {
      location.file = word(m);
      location.line = below(m, 1000);
    }
    if (location.object != NULL && (i + 1 == n || location.file == NULL))
      location.offset = addr;
    frames[i] = dmd_frames_add(&m->graph->profile.frames, &location);
  }
  return dmd_heapgraph_add_code(m->graph, object, addr, frames, n);
}

static void make_stacks(const maker_t *m, uint32_t n_root_codes) {
  uint32_t codes[MAX_TREE], n_codes = 1 + (uint32_t)below(m, MAX_THINGS);
  for (uint32_t i = 0; i < n_codes; i++)
    make_code(m);
  for (uint32_t i = 0; i < m->n_stacks; i++) {
    uint32_t n = 1 + (uint32_t)below(m, MAX_TREE);
    for (uint32_t k = 0; k < n; k++)
      codes[k] = n_root_codes + 1 + (uint32_t)below(m, n_codes);
    dmd_heapgraph_add_stack(m->graph, codes, n);
  }
}

static dmd_report_t any_report(const maker_t *m, uint32_t flags) {
  dmd_profile_t *profile = &m->graph->profile;
  uint32_t stack = 1 + (uint32_t)below(m, m->n_stacks);
  return (dmd_report_t){.stack = dmd_heapgraph_profile_stack(m->graph, stack),
                        .reporter =
                            one_in(m, 4) ? DMD_NONE : dmd_intern_str(&profile->names, word(m)),
                        .flags = flags};
}

static void make_report_sets(const maker_t *m) {
  dmd_reports_t *reports = &m->graph->profile.reports;
  for (uint64_t n = below(m, MAX_THINGS); n > 0; n--) {
    dmd_report_t list[MAX_TREE];
    uint32_t n_list = 1 + (uint32_t)below(m, MAX_TREE);
    if (one_in(m, 2)) {
      for (uint32_t i = 0; i < n_list; i++)
        list[i] = any_report(m, DMD_REPORT_SHARED);
      dmd_reports_intern_sharers(reports, list, n_list);
      continue;
    }
    dmd_report_set_t plain = {.count = n_list};
    for (uint32_t i = 0; i < n_list && i < DMD_REPORTS_KEPT; i++)
      plain.report[i] = any_report(m, 0);
    dmd_reports_intern(reports, &plain);
  }
}

/* Gives blocks their reports and tags, which are made after the blocks. */
static void give_reports_and_tags(const maker_t *m) {
  dmd_profile_t *profile = &m->graph->profile;
  for (uint32_t i = 1; i <= m->n_blocks; i++) {
    dmd_graph_block_t *block = DMD_POOL_AT(&m->graph->blocks, dmd_graph_block_t, i);
    block->reports = (uint32_t)below(m, (uint64_t)dmd_reports_count(&profile->reports) + 1);
    if (one_in(m, 3))
      block->tag = (uint16_t)dmd_intern_str(&profile->tags, word(m));
  }
}

/* ---- Nodes. ---- */

/* An edge of the current node; sizes: the future sizes of blocks. */
static void make_edge(const maker_t *m, const uint64_t *sizes, uint32_t offset) {
  uint32_t target = 1 + (uint32_t)below(m, m->n_blocks);
  if (sizes[target] > 1 && one_in(m, 3))
    dmd_heapgraph_add_interior(m->graph, m->n_roots + target, offset,
                               1 + below(m, sizes[target] - 1),
                               (dmd_heuristic_t)below(m, DMD_N_HEURISTICS));
  else
    dmd_heapgraph_add_edge(m->graph, m->n_roots + target, offset);
}

/* Adds edges from aligned words of a node at this address. */
static void make_edges(const maker_t *m, const uint64_t *sizes, uint64_t addr, uint64_t szB) {
  uint64_t offset = -addr % WORD;
  uint64_t n = m->n_blocks > 0 && !one_in(m, 3) ? below(m, MAX_EDGES + 1) : 0;
  uint64_t next_number = 0;
  for (; n > 0 && (offset += below(m, 3) * WORD) + WORD <= szB; n--) {
    make_edge(m, sizes, (uint32_t)offset);
    uint64_t at = offset + (1 + below(m, 3)) * WORD;
    if (!one_in(m, 3) || at < next_number || at >= szB)
      continue;
    dmd_graph_number_t number = {1 + below(m, 1 << 20), m->graph->graph.n_ended, (uint32_t)at};
    dmd_heapgraph_add_number(m->graph, &number);
    next_number = at + 1;
  }
  dmd_heapgraph_end_node(m->graph);
}

static void make_root(const maker_t *m, const uint64_t *sizes, uint64_t addr) {
  dmd_graph_root_t root = {.kind = (dmd_root_kind_t)below(m, DMD_N_ROOT_KINDS),
                           .addr = addr,
                           .szB = below(m, 20) * WORD,
                           .name = word_or_none(m)};
  if (root.kind == DMD_ROOT_DATA)
    root.object = any_object(m);
  else
    root.thread = (uint32_t)below(m, 4);
  if (root.kind == DMD_ROOT_STACK && one_in(m, 2))
    root.code = make_code(m);
  if (root.kind == DMD_ROOT_STACK || root.kind == DMD_ROOT_THREAD)
    root.origin = below(m, 3) * (addr + root.szB);
  dmd_heapgraph_add_root(m->graph, &root);
  make_edges(m, sizes, addr, root.szB);
}

/* Gives each block an address: in a row, some in the block before or in its outer one. */
static void place_blocks(const maker_t *m, dmd_graph_block_t *blocks, uint64_t *sizes) {
  uint64_t free = 0x10000;
  for (uint32_t i = 1; i <= m->n_blocks; i++) {
    uint32_t outer = i > 1 && one_in(m, 3) ? i - 1 : 0;
    uint64_t addr = free;
    sizes[i] = below(m, 12) * WORD + below(m, 9);
    if (outer > 0 && sizes[outer] > 0) {
      addr = blocks[outer].addr + below(m, sizes[outer]);
      sizes[i] = below(m, sizes[outer] + 4);
    } else {
      outer = 0;
    }
    blocks[i] = (dmd_graph_block_t){.addr = addr,
                                    .slop = (uint32_t)below(m, sizes[i] + 1),
                                    .stack = (uint32_t)below(m, (uint64_t)m->n_stacks + 1),
                                    .outer = outer > 0 ? m->n_roots + outer : DMD_NONE,
                                    .thread = (uint16_t)below(m, 4),
                                    .flags = outer > 0 ? DMD_GRAPH_ANNOUNCED : 0};
    uint64_t end = addr + sizes[i] + 1 + below(m, 2) * WORD;
    free = end > free ? end : free;
  }
}

static void make_blocks(const maker_t *m, const dmd_graph_block_t *blocks, const uint64_t *sizes) {
  for (uint32_t i = 1; i <= m->n_blocks; i++) {
    dmd_heapgraph_add_block(m->graph, &blocks[i], sizes[i]);
    uint32_t object = one_in(m, 4) ? any_object(m) : DMD_NONE;
    if (object != DMD_NONE)
      dmd_heapgraph_set_first_word(m->graph, object, below(m, 1 << 16));
    if (one_in(m, 3)) {
      uint64_t req = sizes[i] - blocks[i].slop;
      uint32_t before = (uint32_t)below(m, i);
      dmd_graph_contents_t contents = {.tail = below(m, 2) * below(m, req + 1),
                                       .same = before > 0 ? m->n_roots + before : DMD_NONE,
                                       .byte = (uint8_t)below(m, 256)};
      if (contents.byte % 3 < 2)
        contents.byte = contents.byte % 3 == 0 ? 0 : FILL;
      if (m->graph->has_contents)
        dmd_heapgraph_set_contents(m->graph, &contents);
    }
    make_edges(m, sizes, blocks[i].addr, sizes[i]);
  }
}

/* Pages around those of blocks. */
static void make_residents(const maker_t *m) {
  uint64_t addr = 0xe000;
  for (uint64_t n = below(m, 4); n > 0; n--) {
    dmd_graph_resident_t resident = {.addr = addr + below(m, 2) * DMD_PAGE_SZB,
                                     .szB = (1 + below(m, 2)) * DMD_PAGE_SZB};
    dmd_heapgraph_add_resident(m->graph, &resident);
    addr = resident.addr + resident.szB + DMD_PAGE_SZB;
  }
}

void random_graph(dmd_heapgraph_t *graph, const dmd_env_t *env, const random_dice_t *dice) {
  maker_t m = {.graph = graph, .dice = dice};
  dmd_graph_block_t blocks[MAX_BLOCKS + 1];
  uint64_t sizes[MAX_BLOCKS + 1];
  m.n_roots = (uint32_t)below(&m, MAX_ROOTS + 1);
  m.n_blocks = (uint32_t)below(&m, MAX_BLOCKS + 1);
  m.n_stacks = 1 + (uint32_t)below(&m, MAX_THINGS);
  dmd_heapgraph_init(graph, env, m.n_roots, m.n_blocks, (m.n_roots + m.n_blocks) * MAX_EDGES);
  make_run(&m);
  graph->has_contents = m.n_blocks % 3 > 0;
  graph->fill = m.n_blocks % 3 == 2 ? FILL : 0;
  make_objects(&m);
  place_blocks(&m, blocks, sizes);
  for (uint32_t i = 0; i < m.n_roots; i++)
    make_root(&m, sizes, 0x1000 + i * 0x100);
  uint32_t n_root_codes = graph->codes.last;
  make_residents(&m);
  make_blocks(&m, blocks, sizes);
  make_stacks(&m, n_root_codes);
  make_report_sets(&m);
  give_reports_and_tags(&m);
}
