/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "census_fixture.h"

#include "analyse/graph/leaks.h"
#include "fixture.h"
#include "show/text/text_waste.h"

enum { GRAPHS = 150 };

static dmd_waste_options_t only(dmd_waste_kind_t kind) {
  return (dmd_waste_options_t){.kinds = 1u << kind, .least_szB = 1};
}

typedef struct {
  dmd_records_t records;
  dmd_waste_options_t options;
  dmd_waste_t waste;
} found_t;

static void find(found_t *f, keyed_t *keyed, dmd_waste_options_t options) {
  f->options = options;
  dmd_records_init(&f->records, &keyed->graph.profile, 3, DMD_SORT_USABLE);
  dmd_waste_init(&f->waste, &keyed->keys, &f->records, &f->options);
}

static void forget(found_t *f) {
  dmd_waste_destroy(&f->waste);
  dmd_records_destroy(&f->records);
}

/* ---- Against a walk. A random graph has no types. ---- */

static bool is_allocated(const keyed_t *keyed, uint32_t node) {
  return dmd_heapgraph_block(&keyed->graph, node)->flags == 0;
}

static bool is_all(const keyed_t *keyed, const dmd_graph_contents_t *contents) {
  return contents->tail > 0 &&
         contents->tail == dmd_heapgraph_requested(&keyed->graph, contents->node);
}

static bool is_new(const keyed_t *keyed, const dmd_graph_contents_t *contents) {
  return keyed->graph.fill != 0 && contents->byte == keyed->graph.fill;
}

/* By the function that the program called. */
static bool was_zeroed(const dmd_heapgraph_t *graph, uint32_t node) {
  uint32_t stack = dmd_heapgraph_block(graph, node)->stack;
  const dmd_frames_t *frames = &graph->profile.frames;
  if (dmd_heapgraph_n_codes(graph, stack) == 0)
    return false;
  uint32_t code = dmd_heapgraph_stack_code(graph, stack, 0);
  return dmd_heapgraph_code(graph, code)->n_frames > 0 &&
         strncmp(dmd_frames_text(frames, dmd_heapgraph_code_frame(graph, code, 0)), "calloc", 6) ==
             0;
}

static bool is_constant(const keyed_t *keyed, const dmd_graph_contents_t *contents) {
  return is_all(keyed, contents) && !is_new(keyed, contents);
}

/* Whether a block before it, of those with its contents, has its name. */
static bool is_repeated(const keyed_t *keyed, const dmd_graph_contents_t *contents) {
  const uint32_t *names = keyed->kinds.of;
  uint32_t node = contents->node;
  if (contents->same == DMD_NONE || is_all(keyed, contents))
    return false;
  bool found = names[contents->same] == names[node];
  for (uint32_t other = contents->same + 1; other < node && !found; other++) {
    const dmd_graph_contents_t *its = dmd_heapgraph_contents(&keyed->graph, other);
    found = its != NULL && its->same == contents->same && !is_all(keyed, its) &&
            names[other] == names[node];
  }
  return found;
}

static uint64_t at_the_end(const keyed_t *keyed, const dmd_graph_contents_t *contents,
                           uint64_t own) {
  uint64_t requested = dmd_heapgraph_requested(&keyed->graph, contents->node);
  if (contents->tail == 0 || is_constant(keyed, contents))
    return 0;
  if (is_all(keyed, contents))
    return own;
  if (!is_new(keyed, contents) &&
      !(contents->byte == 0 &&
        (keyed->graph.fill == 0 || was_zeroed(&keyed->graph, contents->node))))
    return 0;
  if (2 * contents->tail < requested)
    return 0;
  return contents->tail < own ? contents->tail : own;
}

/* The outermost blocks on a page, and the bytes that they and their headers take of it; which of
 * them `node` is, from 0. */
static uint64_t on_page(const dmd_heapgraph_t *graph, uint64_t page, uint64_t header, uint32_t node,
                        uint64_t *n, uint64_t *which) {
  uint64_t used = 0;
  *n = *which = 0;
  for (uint32_t i = dmd_heapgraph_first_block(graph); i < graph->graph.n_nodes; i++) {
    const dmd_graph_block_t *block = dmd_heapgraph_block(graph, i);
    uint64_t start = block->addr, end = start + graph->graph.size[i], on = 0;
    if (block->outer != DMD_NONE)
      continue;
    for (uint64_t at = start; at < end; at++)
      on += at / DMD_PAGE_SZB == page;
    bool starts = start / DMD_PAGE_SZB == page;
    if (on == 0 && !starts)
      continue;
    *which = i == node ? *n : *which;
    ++*n;
    used += on + (starts ? header : 0);
  }
  return used;
}

static uint64_t pinned(const dmd_heapgraph_t *graph, uint64_t header, uint32_t node) {
  uint64_t start = dmd_heapgraph_block(graph, node)->addr, szB = graph->graph.size[node], sum = 0;
  if (dmd_heapgraph_block(graph, node)->outer != DMD_NONE)
    return 0;
  for (uint32_t i = 1; i <= graph->residents.last; i++) {
    const dmd_graph_resident_t *run = DMD_POOL_AT(&graph->residents, const dmd_graph_resident_t, i);
    for (uint64_t at = run->addr; at < run->addr + run->szB; at += DMD_PAGE_SZB) {
      uint64_t page = at / DMD_PAGE_SZB, n, which;
      if (page < start / DMD_PAGE_SZB || page > (start + (szB > 0 ? szB - 1 : 0)) / DMD_PAGE_SZB)
        continue;
      uint64_t used = on_page(graph, page, header, node, &n, &which);
      uint64_t is_free = used < DMD_PAGE_SZB ? DMD_PAGE_SZB - used : 0;
      if (2 * is_free >= DMD_PAGE_SZB)
        sum += is_free / n + (which == 0 ? is_free % n : 0);
    }
  }
  return sum;
}

/* What a block wastes by the definition of each kind. */
static uint64_t wasted(const keyed_t *keyed, const dmd_leaks_t *leaks,
                       const dmd_nesting_sizes_t *sizes, dmd_waste_kind_t kind, uint32_t node) {
  dmd_own_size_t own = dmd_nesting_own(sizes, node);
  uint64_t requested = dmd_heapgraph_requested(&keyed->graph, node);
  const char *allocator = keyed->graph.profile.run.allocator;
  uint64_t header = allocator != NULL && strcmp(allocator, "glibc") == 0 ? 8 : 0;
  const dmd_graph_contents_t *contents = dmd_heapgraph_contents(&keyed->graph, node);
  switch (kind) {
  case DMD_WASTE_CONSTANT:
    return contents != NULL && is_constant(keyed, contents) ? own.szB : 0;
  case DMD_WASTE_DUPLICATE:
    return contents != NULL && is_repeated(keyed, contents) ? own.szB : 0;
  case DMD_WASTE_UNTOUCHED:
    return contents == NULL ? 0 : at_the_end(keyed, contents, own.szB);
  case DMD_WASTE_LOST:
    return dmd_leak_is_lost(dmd_leak_state(leaks, node)) ? own.szB : 0;
  case DMD_WASTE_SLOP:
    return is_allocated(keyed, node) ? own.slop : 0;
  case DMD_WASTE_SMALL:
    return is_allocated(keyed, node) && requested <= 32 &&
                   (double)(own.slop + header) >= (double)requested / 3
               ? own.slop + header
               : 0;
  case DMD_WASTE_PINNED:
    return pinned(&keyed->graph, header, node);
  default:
    return 0;
  }
}

static void check_kinds(keyed_t *keyed, const bool *picks) {
  const dmd_heapgraph_t *graph = &keyed->graph;
  dmd_leaks_t leaks;
  dmd_nesting_sizes_t sizes;
  uint64_t all = 0, blocks = 0, of[DMD_N_WASTE_KINDS] = {0};
  dmd_leaks_init(&leaks, graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_nesting_init(&sizes, graph);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    uint64_t most = 0, beside = 0;
    for (int kind = 0; kind < DMD_N_WASTE_KINDS && (picks == NULL || picks[node]); kind++) {
      uint64_t bytes = wasted(keyed, &leaks, &sizes, (dmd_waste_kind_t)kind, node);
      of[kind] += bytes;
      beside += kind == DMD_WASTE_PINNED ? bytes : 0;
      most = kind != DMD_WASTE_PINNED && bytes > most ? bytes : most;
    }
    all += most + beside;
    blocks += most + beside > 0;
  }
  found_t f;
  for (int kind = 0; kind < DMD_N_WASTE_KINDS; kind++) {
    find(&f, keyed, (dmd_waste_options_t){1u << kind, 1, picks});
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f.waste.n; i++)
      sum += dmd_waste_at(&f.waste, i)->bytes;
    assert_int_equal(sum, of[kind]);
    assert_int_equal(f.waste.bytes, of[kind]);
    forget(&f);
  }
  find(&f, keyed, (dmd_waste_options_t){~0u, 1, picks});
  assert_int_equal(f.waste.bytes, all);
  assert_int_equal(f.waste.blocks, blocks);
  assert_true(f.waste.bytes <= dmd_waste_whole(&f.waste) + 8 * blocks);
  forget(&f);
  dmd_nesting_destroy(&sizes);
  dmd_leaks_destroy(&leaks);
}

static void random_against_a_walk(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {5};
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    keyed_t keyed;
    bool *picks = NULL;
    keyed_random(&keyed, &host.env, &dice);
    uint32_t n = keyed.graph.graph.n_nodes;
    if (i % 3 == 0) {
      picks = dmd_env_alloc(&host.env, "picks", n * sizeof *picks);
      for (uint32_t node = 0; node < n; node++)
        picks[node] = dice_below(&dice, 2) == 0;
    }
    check_kinds(&keyed, picks);
    dmd_env_free(&host.env, picks);
    keyed_end(&keyed);
  }
  host_done(&host);
}

/* Findings, and the rows of any sum, add up to the total; the largest come first. */
static void random_sums(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {6};
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    keyed_t keyed;
    found_t f;
    keyed_random(&keyed, &host.env, &dice);
    find(&f, &keyed, (dmd_waste_options_t){~0u, dice_below(&dice, 200), NULL});
    uint64_t counted = 0;
    for (uint32_t k = 0; k < f.waste.n; k++) {
      const dmd_waste_finding_t *finding = dmd_waste_at(&f.waste, k);
      counted += finding->counted;
      assert_true(finding->counted <= finding->bytes && finding->bytes >= f.options.least_szB);
      assert_true(k == 0 || dmd_waste_at(&f.waste, k - 1)->bytes >= finding->bytes);
    }
    assert_int_equal(counted, f.waste.bytes);
    for (int by = DMD_WASTE_BY_KIND; by <= DMD_WASTE_BY_LIBRARY; by++) {
      dmd_waste_rows_t rows;
      uint64_t sum = 0, findings = 0;
      dmd_waste_rows_init(&rows, &f.waste, (dmd_waste_by_t)by);
      for (uint32_t id = 1; id <= rows.rows.last; id++) {
        sum += DMD_POOL_AT(&rows.rows, const dmd_waste_row_t, id)->counted;
        findings += DMD_POOL_AT(&rows.rows, const dmd_waste_row_t, id)->findings;
      }
      assert_int_equal(sum, f.waste.bytes);
      assert_int_equal(findings, f.waste.n);
      dmd_waste_rows_destroy(&rows);
    }
    forget(&f);
    keyed_end(&keyed);
  }
  host_done(&host);
}

/* ---- Examples. ---- */

/* A root that leads to all blocks, each of which requests this and gets that much. */
static void make_graph(keyed_t *keyed, const dmd_env_t *env, const char *allocator,
                       const uint64_t (*sizes)[2], uint32_t n) {
  dmd_heapgraph_t *graph = &keyed->graph;
  dmd_heapgraph_init(graph, env, 1, n, n);
  graph->profile.run.word_szB = 8;
  graph->profile.run.allocator = allocator;
  dmd_heapgraph_add_root(graph, &(dmd_graph_root_t){.kind = DMD_ROOT_OTHER, .szB = 8 * n});
  for (uint32_t i = 0; i < n; i++)
    dmd_heapgraph_add_edge(graph, 2 + i, 8 * i);
  dmd_heapgraph_end_node(graph);
  for (uint32_t i = 0; i < n; i++) {
    dmd_graph_block_t block = {.addr = 0x100000 + 0x10000 * (uint64_t)i,
                               .slop = (uint32_t)(sizes[i][1] - sizes[i][0])};
    dmd_heapgraph_add_block(graph, &block, sizes[i][1]);
    dmd_heapgraph_end_node(graph);
  }
  keyed_begin(keyed, env);
}

static void nearest_sizes(void **state) {
  (void)state;
  host_t host;
  keyed_t keyed;
  found_t f;
  host_init(&host);
  /* jemalloc: 4096, 5120, 6144. The two blocks of 4112 waste more than the one of 5200. */
  make_graph(&keyed, &host.env, "jemalloc",
             (const uint64_t[][2]){{4112, 5120}, {5200, 6144}, {4112, 5120}}, 3);
  find(&f, &keyed, only(DMD_WASTE_SLOP));
  assert_int_equal(f.waste.n, 1);
  const dmd_waste_finding_t *finding = dmd_waste_at(&f.waste, 0);
  assert_int_equal(finding->bytes, 2 * (5120 - 4112) + 6144 - 5200);
  assert_int_equal(finding->usual.szB, 4112);
  assert_int_equal(finding->usual.blocks, 2);
  assert_int_equal(finding->lower, 4096);
  forget(&f);
  keyed_end(&keyed);
  /* The model does not know why it is so large. */
  make_graph(&keyed, &host.env, "jemalloc", (const uint64_t[][2]){{4112, 6144}}, 1);
  find(&f, &keyed, only(DMD_WASTE_SLOP));
  assert_int_equal(dmd_waste_at(&f.waste, 0)->lower, 0);
  forget(&f);
  keyed_end(&keyed);
  host_done(&host);
}

/* What glibc gives back: 40 and 39 bytes get a chunk of 48, and 24 one of 32. */
static void savings_are_the_allocators(void **state) {
  (void)state;
  host_t host;
  keyed_t keyed;
  found_t f;
  host_init(&host);
  make_graph(&keyed, &host.env, "glibc", (const uint64_t[][2]){{40, 40}, {39, 56}}, 2);
  find(&f, &keyed, only(DMD_WASTE_SLOP));
  assert_int_equal(dmd_waste_saved(&f.waste, 2, 1), 0);
  assert_int_equal(dmd_waste_saved(&f.waste, 2, 16), 16);
  assert_int_equal(dmd_waste_saved(&f.waste, 2, 15), 0);
  assert_int_equal(dmd_waste_saved(&f.waste, 2, 40), 40);
  assert_int_equal(dmd_waste_saved(&f.waste, 3, 15), 15); /* realloc left it so large */
  forget(&f);
  keyed_end(&keyed);
  make_graph(&keyed, &host.env, NULL, (const uint64_t[][2]){{40, 40}}, 1);
  find(&f, &keyed, only(DMD_WASTE_SLOP));
  assert_int_equal(dmd_waste_saved(&f.waste, 2, 1), 1);
  forget(&f);
  keyed_end(&keyed);
  host_done(&host);
}

static void add_resident(keyed_t *keyed, uint64_t addr, uint64_t szB) {
  dmd_heapgraph_add_resident(&keyed->graph, &(dmd_graph_resident_t){.addr = addr, .szB = szB});
}

/* A slab of jemalloc for blocks of 80 bytes has 5 pages, since no fewer hold a whole number of
 * them; a page of tcmalloc has 8 KiB. glibc returns single pages. */
static void slabs_are_pinned(void **state) {
  static const struct {
    const char *allocator;
    uint64_t first, second; /* pages that these blocks pin */
  } cases[] = {{"jemalloc", 5, 3}, {"tcmalloc", 2, 2}, {"glibc", 1, 1}, {"mimalloc", 6, 3}};
  (void)state;
  host_t host;
  host_init(&host);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    keyed_t keyed;
    found_t f;
    make_graph(&keyed, &host.env, cases[i].allocator, (const uint64_t[][2]){{80, 80}, {70, 80}}, 2);
    add_resident(&keyed, 0x100000, 6 * DMD_PAGE_SZB);
    add_resident(&keyed, 0x110000, 3 * DMD_PAGE_SZB);
    find(&f, &keyed, only(DMD_WASTE_PINNED));
    uint64_t pages = cases[i].first + cases[i].second;
    uint64_t headers = strcmp(cases[i].allocator, "glibc") == 0 ? 16 : 0;
    assert_int_equal(f.waste.n, 1);
    assert_int_equal(dmd_waste_at(&f.waste, 0)->bytes, pages * DMD_PAGE_SZB - 160 - headers);
    assert_int_equal(dmd_waste_at(&f.waste, 0)->values, pages * DMD_PAGE_SZB);
    assert_int_equal(f.waste.blocks, 2);
    assert_int_equal(f.waste.pages.resident, 9 * DMD_PAGE_SZB);
    assert_int_equal(f.waste.pages.live, 150);
    assert_int_equal(f.waste.pages.slop, 10 + headers);
    assert_int_equal(f.waste.pages.empty, (9 - pages) * DMD_PAGE_SZB);
    forget(&f);
    keyed_end(&keyed);
  }
  host_done(&host);
}

/* A block over several pages pins those at its ends; on one in the middle nothing is free. */
static void ends_of_large_blocks(void **state) {
  (void)state;
  host_t host;
  keyed_t keyed;
  found_t f;
  host_init(&host);
  make_graph(&keyed, &host.env, "exact",
             (const uint64_t[][2]){{3 * DMD_PAGE_SZB + 96, 3 * DMD_PAGE_SZB + 96}}, 1);
  add_resident(&keyed, 0x100000, 8 * DMD_PAGE_SZB);
  find(&f, &keyed, only(DMD_WASTE_PINNED));
  assert_int_equal(dmd_waste_at(&f.waste, 0)->bytes, 4000);
  assert_int_equal(f.waste.pages.live, 3 * DMD_PAGE_SZB + 96);
  assert_int_equal(f.waste.pages.free, 4000);
  assert_int_equal(f.waste.pages.empty, 4 * DMD_PAGE_SZB);
  forget(&f);
  keyed_end(&keyed);
  host_done(&host);
}

/* Smaller findings are not in the total. */
static void least_size(void **state) {
  (void)state;
  host_t host;
  keyed_t keyed;
  found_t f;
  host_init(&host);
  make_graph(&keyed, &host.env, "glibc", (const uint64_t[][2]){{100, 104}, {20, 24}}, 2);
  find(&f, &keyed, (dmd_waste_options_t){~0u, 8, NULL});
  /* Slop of 4 + 4; a small block costs 12. */
  assert_int_equal(f.waste.n, 2);
  assert_int_equal(f.waste.bytes, 4 + 12);
  forget(&f);
  find(&f, &keyed, (dmd_waste_options_t){~0u, 9, NULL});
  assert_int_equal(f.waste.n, 1);
  assert_int_equal(f.waste.n_less, 1);
  assert_int_equal(f.waste.bytes, 12);
  forget(&f);
  keyed_end(&keyed);
  host_done(&host);
}

/* ---- Memory. ---- */

/* The sink is the caller's, since a run without memory ends anywhere. */
static void use(host_t *host, void *arg) {
  keyed_t keyed;
  found_t f;
  dice_t dice = {3};
  sink_t *sink = arg;
  keyed_random(&keyed, &host->env, &dice);
  find(&f, &keyed, (dmd_waste_options_t){~0u, 1, NULL});
  sink_free(sink);
  sink_init(sink);
  dmd_waste_print(&sink->out, &f.waste, DMD_WASTE_BY_FUNCTION, 0);
  dmd_waste_json(&sink->out, &f.waste, DMD_WASTE_BY_FINDING);
  forget(&f);
  keyed_end(&keyed);
}

static void out_of_memory(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  assert_true(host_fail_everywhere(use, &sink) > 20);
  sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_walk),
      cmocka_unit_test(random_sums),
      cmocka_unit_test(nearest_sizes),
      cmocka_unit_test(savings_are_the_allocators),
      cmocka_unit_test(slabs_are_pinned),
      cmocka_unit_test(ends_of_large_blocks),
      cmocka_unit_test(least_size),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
