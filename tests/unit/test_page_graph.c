/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a page asks of heap graphs, against the JSON of dmdv's commands on equal graphs. */
#include "census_fixture.h"
#include "page_fixture.h"

#include "graph/leakrows.h"
#include "page/pagegraph.h"
#include "text/text_census.h"
#include "text/text_leaks.h"
#include "text/text_owners.h"
#include "text/text_paths.h"
#include "text/text_retained.h"

#include <stdio.h>

/* A page with a graph, and an equal graph. */
typedef struct {
  page_fixture_t page;
  keyed_t shown, other;
} graphs_t;

static void begin(graphs_t *g, uint64_t seed) {
  dice_t dice = {seed}, again = {seed};
  page_begin(&g->page);
  keyed_random(&g->shown, &g->page.host.env, &dice);
  keyed_random(&g->other, &g->page.host.env, &again);
  dmd_page_add_graph(&g->page.page, "graph", DMD_PAGE_ALONE, &g->shown.graph, &g->shown.typing);
}

static void end(graphs_t *g) {
  if (g->page.has_text)
    sink_free(&g->page.sink);
  g->page.has_text = false;
  dmd_page_destroy(&g->page.page);
  dmd_page_init(&g->page.page, &g->page.host.env);
  keyed_end(&g->shown);
  keyed_end(&g->other);
  page_end(&g->page);
}

static cJSON *parse_sink(graphs_t *g, sink_t *sink) {
  cJSON *tree = page_parse(&g->page, sink_text(sink));
  sink_free(sink);
  return tree;
}

/* Equal but for these members of the page's, and "rows". */
static void check_members(const cJSON *shown, const cJSON *expected) {
  const cJSON *field;
  cJSON_ArrayForEach(field, expected) {
    if (strcmp(field->string, "rows") != 0 && strcmp(field->string, "paths") != 0)
      assert_same(member(shown, field->string), field);
  }
}

/* Rows, and those in them, which are asked for by their ids. */
static int check_rows(graphs_t *g, const char *query, const cJSON *shown, const cJSON *expected) {
  const cJSON *rows = member(shown, "rows"), *row;
  int n = cJSON_GetArraySize(expected), i = 0, n_all = n;
  assert_int_equal(cJSON_GetArraySize(rows), n);
  assert_int_equal(number_of(shown, "n"), n);
  cJSON_ArrayForEach(row, expected) {
    const cJSON *it = cJSON_GetArrayItem(rows, i++), *in = cJSON_GetObjectItem(row, "rows");
    check_members(it, row);
    assert_int_equal(number_of(it, "n"), in == NULL ? 0 : cJSON_GetArraySize(in));
    if (in != NULL)
      n_all += check_rows(g, query,
                          page_askf(&g->page, "%s&row=%d", query, (int)number_of(it, "id")), in);
  }
  return n_all;
}

static void census_is_that_of_dmdv(void **state) {
  (void)state;
  static const char *const lists[] = {"type", "state,type,stack", "tag,function", "holder,root"};
  static const char *const filters[] = {NULL, "state=un", "!type=a"};
  static graphs_t g;
  int n_rows = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    begin(&g, seed);
    for (size_t i = 0; i < COUNT_OF(lists) * COUNT_OF(filters); i++) {
      const char *by_text = lists[i / COUNT_OF(filters)], *given = filters[i % COUNT_OF(filters)];
      dmd_census_by_t by;
      dmd_census_t census;
      dmd_nodefilter_t filter;
      dmd_strbuf_t why;
      sink_t sink;
      dmd_strbuf_init(&why, &g.page.host.env);
      assert_true(dmd_census_by_parse(&by, by_text, &why));
      dmd_strbuf_destroy(&why);
      dmd_nodefilter_init(&filter, &g.page.host.env, given != NULL ? given : "");
      dmd_census_init(&census, &g.page.host.env, &by);
      g.other.keys.max_frames = 8;
      dmd_census_add(&census, &g.other.keys, &filter, given != NULL, 1);
      dmd_census_finish(&census);
      sink_init(&sink);
      dmd_census_json(&sink.out, &census);
      const cJSON *expected = parse_sink(&g, &sink);
      dmd_census_destroy(&census);
      dmd_nodefilter_destroy(&filter);
      char query[256];
      snprintf(query, sizeof query, "ask=census&count=9999&by=%s&filter=%s", by_text,
               given != NULL ? given : "");
      const cJSON *shown = page_ask(&g.page, query);
      check_members(shown, expected);
      n_rows += check_rows(&g, query, shown, member(expected, "rows"));
    }
    dice_t dice = {seed};
    check_windows(&g.page, &dice, "ask=census&by=stack", "rows");
    end(&g);
  }
  assert_true(n_rows > 300);
}

/* A graph less itself is nothing. */
static void a_difference_of_graphs(void **state) {
  (void)state;
  static graphs_t g;
  begin(&g, 3);
  dmd_page_add_graph(&g.page.page, "other", DMD_PAGE_ALONE, &g.other.graph, &g.other.typing);
  const cJSON *shown = page_ask(&g.page, "ask=census&graph=1&old=0&by=type");
  assert_int_equal(number_of(shown, "total.blocks"), 0);
  assert_int_equal(number_of(shown, "n"), 0);
  assert_true(number_of(page_ask(&g.page, "ask=census&graph=1&by=type"), "total.blocks") > 0);
  end(&g);
}

static void retained_is_that_of_dmdv(void **state) {
  (void)state;
  static graphs_t g;
  int n_rows = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    begin(&g, seed);
    for (uint64_t least = 0; least <= 50000; least += 50000) {
      dmd_retained_t retained;
      dmd_retainedrows_t rows;
      sink_t sink;
      dmd_retained_limits_t limits = {.max_depth = 200, .min_share = (double)least / 1e6};
      dmd_retained_init(&retained, &g.other.graph, &g.other.typing);
      dmd_retainedrows_init(&rows, &retained, &g.other.kinds, limits, NULL);
      sink_init(&sink);
      /* Deeper than JSON may nest, and cJSON reads, are few. */
      dmd_retained_json(&sink.out, &rows);
      const cJSON *expected = parse_sink(&g, &sink);
      dmd_retainedrows_destroy(&rows);
      dmd_retained_destroy(&retained);
      char query[128];
      snprintf(query, sizeof query, "ask=retained&count=9999&least=%d", (int)least);
      const cJSON *shown = page_ask(&g.page, query);
      check_members(shown, expected);
      n_rows += check_rows(&g, query, shown, member(expected, "rows"));
    }
    dice_t dice = {seed};
    check_windows(&g.page, &dice, "ask=retained", "rows");
    end(&g);
  }
  assert_true(n_rows > 200);
}

static void check_leaks(graphs_t *g, const dmd_records_t *records) {
  dmd_leaks_t leaks;
  dmd_leakrows_t rows;
  sink_t sink;
  dmd_leaks_init(&leaks, &g->other.graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_leakrows_init(&rows, &leaks, &g->other.kinds, records, NULL, NULL);
  sink_init(&sink);
  dmd_leaks_json(&sink.out,
                 &(dmd_leaks_view_t){.rows = &rows, .kinds = &g->other.kinds, .states = ~0u});
  const cJSON *expected = parse_sink(g, &sink), *shown = page_ask(&g->page, "ask=leaks&count=9999");
  check_members(shown, expected);
  assert_same(member(shown, "rows"), member(expected, "rows"));
  dmd_leakrows_destroy(&rows);
  dmd_leaks_destroy(&leaks);
}

static bool check_owners(graphs_t *g, const dmd_records_t *records) {
  if (g->other.graph.profile.mode != DMD_MODE_DARK_MATTER) {
    assert_rejected(&g->page, "ask=owners", "mode dark-matter only");
    return false;
  }
  dmd_owners_t owners;
  sink_t sink;
  dmd_owners_init(&owners, &g->other.graph, &g->other.kinds, records, NULL);
  sink_init(&sink);
  dmd_owners_json(&sink.out, &(dmd_owners_view_t){.owners = &owners});
  const cJSON *expected = parse_sink(g, &sink);
  const cJSON *shown = page_ask(&g->page, "ask=owners&count=9999");
  check_members(shown, expected);
  assert_same(member(shown, "rows"), member(expected, "rows"));
  dmd_owners_destroy(&owners);
  return true;
}

/* To all blocks. */
static void check_paths(graphs_t *g) {
  uint32_t first = dmd_heapgraph_first_block(&g->other.graph), n = g->other.graph.graph.n_nodes;
  dmd_paths_t paths;
  dmd_bitset_t to;
  sink_t sink;
  dmd_bitset_init(&to, &g->page.host.env, "test", n);
  for (uint32_t node = first; node < n; node++)
    dmd_bitset_add(&to, node);
  dmd_paths_init(&paths, &g->other.kinds, &to);
  sink_init(&sink);
  dmd_paths_json(&sink.out, &paths);
  const cJSON *expected = parse_sink(g, &sink);
  const cJSON *shown = page_ask(&g->page, "ask=paths&filter=%21type%3Dno+such+type&count=9999");
  check_members(shown, expected);
  assert_same(member(shown, "paths"), member(expected, "paths"));
  dmd_paths_destroy(&paths);
  dmd_bitset_destroy(&to);
}

static void leaks_owners_and_paths_are_those_of_dmdv(void **state) {
  (void)state;
  static graphs_t g;
  int n_dark = 0;
  for (uint64_t seed = 1; seed <= 25; seed++) {
    dice_t dice = {seed};
    dmd_records_t records;
    begin(&g, seed);
    dmd_heapgraph_add_groups(&g.other.graph, NULL);
    dmd_records_init(&records, &g.other.graph.profile, 8, DMD_SORT_USABLE);
    check_leaks(&g, &records);
    check_windows(&g.page, &dice, "ask=leaks", "rows");
    if (check_owners(&g, &records)) {
      check_windows(&g.page, &dice, "ask=owners", "rows");
      n_dark++;
    }
    check_paths(&g);
    dmd_records_destroy(&records);
    end(&g);
  }
  assert_true(n_dark > 3);
}

/* Each edge is at both of its ends. */
static void neighbours_of_all_nodes(void **state) {
  (void)state;
  static graphs_t g;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    begin(&g, seed);
    const dmd_graph_t *graph = &g.other.graph.graph;
    uint32_t n_in = 0, n_out = 0;
    for (uint32_t node = 1; node < graph->n_nodes; node++) {
      const cJSON *answer = page_askf(&g.page, "ask=neighbours&count=9999&node=%u", node), *row;
      uint32_t i = graph->first[node];
      cJSON_ArrayForEach(row, member(answer, "out.rows")) {
        assert_int_equal(number_of(row, "node"), graph->target[i]);
        assert_int_equal(number_of(row, "offset"), graph->offset[i]);
        i++;
        n_out++;
      }
      assert_int_equal(i, graph->first[node + 1]);
      cJSON_ArrayForEach(row, member(answer, "in.rows")) {
        uint32_t from = (uint32_t)number_of(row, "node");
        bool found = false;
        for (i = graph->first[from]; i < graph->first[from + 1]; i++)
          found |= graph->target[i] == node;
        assert_true(found);
        n_in++;
      }
      bool is_block = dmd_heapgraph_is_block(&g.other.graph, node);
      assert_int_equal(cJSON_IsTrue(member(answer, "node.isRoot")), !is_block);
      assert_string_equal(string_of(answer, "node.name"),
                          dmd_kinds_name(&g.other.kinds, g.other.kinds.of[node]));
      if (is_block)
        assert_string_equal(string_of(answer, "node.state"),
                            keyed_name(&g.other, DMD_KEY_STATE, node));
      dice_t dice = {node};
      if (node % 16 == 0)
        check_windows(&g.page, &dice, "ask=neighbours&node=1", "out.rows");
    }
    assert_int_equal(n_out, dmd_graph_n_edges(graph) - graph->first[1]);
    assert_int_equal(n_in, n_out);
    end(&g);
  }
}

/* ---- The heap map. ---- */

/* Blocks of these addresses and sizes, the last within the one before it. */
static void make_graph(dmd_heapgraph_t *graph, const dmd_env_t *env) {
  static const struct {
    uint64_t addr, szB;
    uint32_t outer;
  } blocks[] = {{0x10000, 4096, 0},
                {0x11800, 2048, 0},
                {0x12100, 256, 0},
                {0x900000, 100, 0},
                {0x900010, 20, 4}};
  dmd_heapgraph_init(graph, env, 0, COUNT_OF(blocks), 0);
  graph->profile.mode = DMD_MODE_LIVE;
  dmd_heapgraph_end_node(graph);
  for (size_t i = 0; i < COUNT_OF(blocks); i++) {
    uint16_t tag = (uint16_t)dmd_tag_intern(&graph->profile.tags, i < 2 ? "low" : "high");
    dmd_graph_block_t block = {.addr = blocks[i].addr, .outer = blocks[i].outer, .tag = tag};
    dmd_heapgraph_add_block(graph, &block, blocks[i].szB);
    dmd_heapgraph_end_node(graph);
  }
}

static int int_at(const cJSON *answer, const char *list, int i) {
  return cJSON_GetArrayItem(member(answer, list), i)->valueint;
}

static void a_map_by_hand(void **state) {
  (void)state;
  static page_fixture_t f;
  keyed_t keyed;
  page_begin(&f);
  make_graph(&keyed.graph, &f.host.env);
  keyed_begin(&keyed, &f.host.env);
  dmd_page_add_graph(&f.page, "g", DMD_PAGE_ALONE, &keyed.graph, &keyed.typing);
  const cJSON *map = page_ask(&f, "ask=map&by=tag&cells=4");
  /* 3 pages, then one: a page a cell. */
  assert_int_equal(number_of(map, "bytes"), 4 * 4096);
  assert_int_equal(number_of(map, "cell"), 4096);
  static const int used[] = {4096, 2048, 256, 100};
  static const char *const address[] = {"0x10000", "0x11000", "0x12000", "0x900000"};
  static const int value[] = {0, 0, 1, 1};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(int_at(map, "used", i), used[i]);
    assert_int_equal(int_at(map, "value", i), value[i]);
    assert_string_equal(cJSON_GetArrayItem(member(map, "address"), i)->valuestring, address[i]);
  }
  assert_string_equal(cJSON_GetArrayItem(member(map, "values"), 1)->valuestring, "high");
  assert_int_equal(number_of(map, "regions.total"), 2);
  assert_int_equal(number_of(map, "figures.blocks"), 4);
  assert_int_equal(number_of(map, "figures.bytes"), 6500);
  assert_int_equal(number_of(map, "figures.pages"), 4);
  assert_int_equal(number_of(map, "figures.free"), 4 * 4096 - 6500);
  assert_string_equal(string_of(map, "figures.freeShare"), "60.33%");
  /* 0x11000 to 0x11800, and 0x12000 to 0x12100. */
  assert_int_equal(number_of(map, "figures.holes"), 2);
  assert_int_equal(number_of(map, "figures.largestHole"), 0x800);
  assert_string_equal(string_of(map, "figures.largestHoleAt"), "0x11000");
  assert_int_equal(number_of(map, "figures.holeBytes"), 0x900);
  map = page_ask(&f, "ask=map&from=6144&to=8192&cells=2");
  assert_int_equal(number_of(map, "cell"), 1024);
  assert_int_equal(int_at(map, "used", 0), 1024);
  assert_int_equal(int_at(map, "used", 1), 1024);
  map = page_ask(&f, "ask=map&from=4096&to=6144&cells=2");
  assert_int_equal(int_at(map, "value", 0), -1);
  assert_rejected(&f, "ask=map&by=colour", "no key");
  assert_rejected(&f, "ask=map&from=99999", "from cannot be");
  dmd_page_destroy(&f.page);
  dmd_page_init(&f.page, &f.host.env);
  keyed_end(&keyed);
  page_end(&f);
}

/* Whatever is drawn adds up to the same. */
static void cells_add_up(void **state) {
  (void)state;
  static graphs_t g;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    begin(&g, seed);
    double last = -1;
    for (int cells = 1; cells <= 4096; cells *= 8) {
      const cJSON *map = page_askf(&g.page, "ask=map&by=type&cells=%d", cells), *used;
      if (cJSON_GetObjectItem(map, "error") != NULL)
        break;
      double sum = 0;
      assert_true(cJSON_GetArraySize(member(map, "used")) <= cells);
      cJSON_ArrayForEach(used, member(map, "used")) {
        assert_true(used->valuedouble <= number_of(map, "cell"));
        sum += used->valuedouble;
      }
      if (last >= 0 && sum < 1e15)
        assert_true(sum == last);
      last = sum;
    }
    end(&g);
  }
}

/* ---- Errors, files. ---- */

static void without_a_graph(void **state) {
  (void)state;
  static const char *const asks[] = {"census", "retained",   "paths", "leaks",
                                     "owners", "neighbours", "map"};
  static graphs_t g;
  begin(&g, 1);
  page_add(&g.page, DMD_MODE_LIVE);
  for (size_t i = 0; i < COUNT_OF(asks); i++) {
    char query[64];
    snprintf(query, sizeof query, "ask=%s&of=0", asks[i]);
    assert_rejected(&g.page, query, "this file has no heap graph beside it");
    snprintf(query, sizeof query, "ask=%s&graph=1", asks[i]);
    assert_rejected(&g.page, query, "graph cannot be");
  }
  assert_rejected(&g.page, "ask=census&by=colour", "");
  assert_rejected(&g.page, "ask=census&row=99999", "row cannot be");
  assert_rejected(&g.page, "ask=retained&row=0", "row cannot be");
  assert_rejected(&g.page, "ask=retained&what=no+such+thing", "there is no such type");
  assert_rejected(&g.page, "ask=paths", "to which blocks?");
  assert_rejected(&g.page, "ask=paths&to=unreported:0", "");
  assert_rejected(&g.page, "ask=neighbours&node=0", "node cannot be");
  assert_rejected(&g.page, "ask=neighbours&at=0x1", "");
  assert_rejected(&g.page, "ask=neighbours&at=main", "no block is at this address");
  end(&g);
  page_begin(&g.page);
  assert_rejected(&g.page, "ask=census", "there is no heap graph");
  page_end(&g.page);
}

static void graphs_are_listed(void **state) {
  (void)state;
  static graphs_t g;
  begin(&g, 2);
  page_add(&g.page, DMD_MODE_LIVE);
  dmd_page_add_graph(&g.page.page, "beside", 0, &g.other.graph, &g.other.typing);
  const cJSON *files = page_ask(&g.page, "ask=files");
  assert_int_equal(number_of(cJSON_GetArrayItem(member(files, "files"), 0), "graph"), 1);
  const cJSON *graph = cJSON_GetArrayItem(member(files, "graphs"), 1);
  assert_string_equal(string_of(graph, "name"), "beside");
  assert_int_equal(number_of(graph, "of"), 0);
  assert_int_equal(number_of(graph, "edges"), dmd_graph_n_edges(&g.other.graph.graph));
  assert_int_equal(number_of(page_ask(&g.page, "ask=map&of=0"), "figures.blocks"),
                   number_of(page_ask(&g.page, "ask=map&graph=1"), "figures.blocks"));
  end(&g);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static const char *const queries[] = {
      "ask=census&by=type,stack",
      "ask=retained&filter=type=a",
      "ask=paths&to=unreported",
      "ask=leaks",
      "ask=owners",
      "ask=neighbours",
      "ask=map",
  };
  dice_t dice = {4};
  keyed_t keyed;
  keyed_random(&keyed, &host->env, &dice);
  dmd_page_t page;
  dmd_page_init(&page, &host->env);
  dmd_page_add_graph(&page, "g", DMD_PAGE_ALONE, &keyed.graph, &keyed.typing);
  for (size_t i = 0; i < COUNT_OF(queries); i++) {
    dmd_strbuf_t answer;
    dmd_out_t out;
    dmd_strbuf_init(&answer, &host->env);
    dmd_out_init(&out, dmd_strbuf_write, &answer);
    dmd_page_ask(&page, queries[i], &out);
    dmd_out_flush(&out);
    dmd_strbuf_destroy(&answer);
  }
  dmd_page_destroy(&page);
  keyed_end(&keyed);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(census_is_that_of_dmdv),
      cmocka_unit_test(a_difference_of_graphs),
      cmocka_unit_test(retained_is_that_of_dmdv),
      cmocka_unit_test(leaks_owners_and_paths_are_those_of_dmdv),
      cmocka_unit_test(neighbours_of_all_nodes),
      cmocka_unit_test(a_map_by_hand),
      cmocka_unit_test(cells_add_up),
      cmocka_unit_test(without_a_graph),
      cmocka_unit_test(graphs_are_listed),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
