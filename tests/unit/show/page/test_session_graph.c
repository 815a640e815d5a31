/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Queries of a page about heap graphs, against the JSON of dmdv's commands on equal graphs. */
#include "census_fixture.h"
#include "page_fixture.h"

#include "analyse/graph/leaks.h"
#include "analyse/transform/merge.h"
#include "show/page/pagegraph.h"
#include "show/text/text_graph.h"
#include "show/text/text_waste.h"

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
  dmd_session_add_graph(&g->page.page, "graph", DMD_SESSION_ALONE, &g->shown.graph,
                        &g->shown.typing);
}

static void end(graphs_t *g) {
  if (g->page.has_text)
    sink_free(&g->page.sink);
  g->page.has_text = false;
  dmd_session_destroy(&g->page.page);
  dmd_session_init(&g->page.page, &g->page.host.env);
  keyed_end(&g->shown);
  keyed_end(&g->other);
  page_end(&g->page);
}

static cJSON *parse_sink(graphs_t *g, sink_t *sink) {
  cJSON *tree = page_parse(&g->page, sink_text(sink));
  sink_free(sink);
  return tree;
}

/* All expected members are equal, except "rows" and "paths". */
static void check_members(const cJSON *shown, const cJSON *expected) {
  const cJSON *field;
  cJSON_ArrayForEach(field, expected) {
    if (strcmp(field->string, "rows") != 0 && strcmp(field->string, "paths") != 0)
      assert_same(member(shown, field->string), field);
  }
}

/* Compares rows, and the rows in them, which the page returns by their ids. */
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

/* A graph minus itself is empty; minus another one, it is the result of dmdv diff. */
static void a_difference_of_graphs(void **state) {
  (void)state;
  static graphs_t g;
  static const dmd_census_by_t by = {.keys = {DMD_KEY_TYPE, DMD_KEY_REFERRER}, .n = 2};
  int n_rows = 0;
  for (uint64_t seed = 3; seed < 12; seed++) {
    keyed_t new;
    dice_t dice = {seed + 100};
    begin(&g, seed);
    dmd_session_add_graph(&g.page.page, "other", DMD_SESSION_ALONE, &g.other.graph,
                          &g.other.typing);
    const cJSON *shown = page_ask(&g.page, "ask=census&graph=1&old=0&by=type");
    assert_int_equal(number_of(shown, "total.blocks"), 0);
    assert_int_equal(number_of(shown, "n"), 0);
    keyed_random(&new, &g.page.host.env, &dice);
    dmd_session_add_graph(&g.page.page, "new", DMD_SESSION_ALONE, &new.graph, &new.typing);
    dmd_census_t census;
    sink_t sink;
    dmd_census_init(&census, &g.page.host.env, &by);
    dmd_census_add(&census, &g.other.keys, NULL, 0, -1);
    dmd_census_add(&census, &new.keys, NULL, 0, 1);
    dmd_census_finish(&census);
    sink_init(&sink);
    dmd_census_json(&sink.out, &census);
    const cJSON *expected = parse_sink(&g, &sink);
    dmd_census_destroy(&census);
    /* By the numbers of graphs, and by those of files: a graph without a profile is a file. */
    static const char *const queries[] = {"ask=census&count=9999&by=type,holder&graph=2&old=0",
                                          "ask=census&count=9999&by=type,holder&of=2&old=0"};
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
      shown = page_ask(&g.page, queries[i]);
      check_members(shown, expected);
      n_rows += check_rows(&g, queries[i], shown, member(expected, "rows"));
    }
    if (g.page.has_text)
      sink_free(&g.page.sink);
    g.page.has_text = false;
    dmd_session_destroy(&g.page.page);
    dmd_session_init(&g.page.page, &g.page.host.env);
    keyed_end(&new);
    end(&g);
  }
  assert_true(n_rows > 100);
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
      /* Few rows are deeper than JSON may nest and cJSON reads. */
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
    assert_rejected(&g->page, "ask=owners", "only mode dark-matter has reports");
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

/* Compares the paths to all blocks. */
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

/* What dmdv finds of a kind is what the page shows of it. */
static int check_waste(graphs_t *g, const dmd_records_t *records, dmd_waste_kind_t kind) {
  const dmd_waste_options_t options = {.kinds = ~0u, .least_szB = 3};
  dmd_waste_t waste;
  sink_t sink;
  dmd_waste_init(&waste, &g->other.keys, records, &options);
  sink_init(&sink);
  dmd_waste_json(&sink.out, &waste, DMD_WASTE_BY_FINDING);
  dmd_waste_destroy(&waste);
  const char *name = dmd_waste_kind_name(kind);
  const cJSON *expected = parse_sink(g, &sink), *finding;
  const cJSON *shown = page_askf(&g->page, "ask=waste&count=9999&least=3&kind=%s", name);
  const cJSON *row = member(shown, "findings")->child;
  int n = 0;
  assert_same(member(shown, "total"), member(expected, "total"));
  assert_same(member(shown, "kinds"), member(expected, "kinds"));
  cJSON_ArrayForEach(finding, member(expected, "findings")) {
    if (strcmp(string_of(finding, "kind"), name) != 0)
      continue;
    check_members(row, finding);
    row = row->next;
    n++;
  }
  assert_null(row);
  assert_int_equal(number_of(shown, "n"), n);
  return n;
}

/* What is counted of the shown findings adds up to the total. */
static void check_counted(graphs_t *g) {
  const cJSON *shown = page_ask(&g->page, "ask=waste&count=9999&least=1"), *finding;
  double counted = 0;
  cJSON_ArrayForEach(finding, member(shown, "findings")) {
    assert_true(number_of(finding, "counted") > 0);
    counted += number_of(finding, "counted");
  }
  assert_true(counted == number_of(shown, "total.bytes"));
}

static void waste_is_that_of_dmdv(void **state) {
  (void)state;
  static graphs_t g;
  int n = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    dice_t dice = {seed};
    dmd_records_t records;
    begin(&g, seed);
    dmd_heapgraph_add_groups(&g.other.graph, NULL);
    dmd_records_init(&records, &g.other.graph.profile, 8, DMD_SORT_USABLE);
    for (int kind = 0; kind < DMD_N_WASTE_KINDS; kind++)
      n += check_waste(&g, &records, (dmd_waste_kind_t)kind);
    check_counted(&g);
    check_windows(&g.page, &dice, "ask=waste&least=1", "findings");
    dmd_records_destroy(&records);
    end(&g);
  }
  assert_true(n > 20);
}

/* Each edge is listed at both of its ends. */
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

/* ---- Errors, files. ---- */

static void without_a_graph(void **state) {
  (void)state;
  static const char *const asks[] = {"census", "retained",   "paths", "leaks",
                                     "owners", "neighbours", "map",   "waste"};
  static graphs_t g;
  begin(&g, 1);
  page_add(&g.page, DMD_MODE_LIVE);
  for (size_t i = 0; i < COUNT_OF(asks); i++) {
    char query[64];
    snprintf(query, sizeof query, "ask=%s&of=0", asks[i]);
    assert_rejected(&g.page, query, "this file has no heap graph");
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
  dmd_session_add_graph(&g.page.page, "beside", 0, &g.other.graph, &g.other.typing);
  const cJSON *files = page_ask(&g.page, "ask=files");
  assert_int_equal(number_of(cJSON_GetArrayItem(member(files, "files"), 0), "graph"), 1);
  const cJSON *graph = cJSON_GetArrayItem(member(files, "graphs"), 1);
  assert_string_equal(string_of(graph, "name"), "beside");
  assert_int_equal(number_of(graph, "of"), 0);
  /* The other graph has no profile: it is a file of its own, after the profile. */
  const cJSON *alone = cJSON_GetArrayItem(member(files, "files"), 1);
  assert_int_equal(cJSON_GetArraySize(member(files, "files")), 2);
  assert_string_equal(string_of(alone, "name"), "graph");
  assert_string_equal(string_of(alone, "kind"), "graph");
  assert_same(member(alone, "bytes"), member(page_ask(&g.page, "ask=census&of=1"), "total.bytes"));
  assert_rejected(&g.page, "ask=records&of=1", "is a heap graph, which has no records");
  assert_rejected(&g.page, "ask=overview&of=0&old=1", "is a heap graph, which has no records");
  assert_rejected(&g.page, "ask=records&of=2", "of cannot be");
  assert_rejected(&g.page, "ask=census&of=0&old=2", "this file has no heap graph");
  assert_int_equal(number_of(graph, "edges"), dmd_graph_n_edges(&g.other.graph.graph));
  assert_int_equal(number_of(page_ask(&g.page, "ask=map&of=0"), "figures.blocks"),
                   number_of(page_ask(&g.page, "ask=map&graph=1"), "figures.blocks"));
  /* The default is the first file's graph, as with records. */
  dmd_query_t query;
  dmd_query_init(&query, &g.page.host.env, "ask=map");
  assert_ptr_equal(dmd_session_graph_of(&g.page.page, &query), dmd_session_graph(&g.page.page, 1));
  dmd_query_destroy(&query);
  end(&g);
}

/* A graph without its profile is a file, after the profiles. */
static void graphs_alone_are_files(void **state) {
  (void)state;
  static graphs_t g;
  begin(&g, 2);
  const cJSON *files = member(page_ask(&g.page, "ask=files"), "files");
  assert_int_equal(cJSON_GetArraySize(files), 1);
  page_add(&g.page, DMD_MODE_LIVE);
  files = member(page_ask(&g.page, "ask=files"), "files");
  assert_int_equal(cJSON_GetArraySize(files), 2);
  const cJSON *alone = cJSON_GetArrayItem(files, 1);
  assert_string_equal(string_of(alone, "kind"), "graph");
  const cJSON *total = member(page_ask(&g.page, "ask=census&of=1"), "total");
  assert_same(member(alone, "blocks"), member(total, "blocks"));
  assert_same(member(alone, "bytes"), member(total, "bytes"));
  assert_rejected(&g.page, "ask=census&of=0", "this file has no heap graph");
  assert_rejected(&g.page, "ask=census&of=2", "this file has no heap graph");
  end(&g);
}

/* The records of a profile beside a graph have the owners that dmdv owners prints. */
static void owners_of_records(void **state) {
  (void)state;
  static graphs_t g;
  int n_told = 0;
  for (uint64_t seed = 1; seed <= 25; seed++) {
    begin(&g, seed);
    /* The profile is made of the other graph: its blocks become groups. */
    if (g.other.graph.profile.mode == DMD_MODE_DARK_MATTER) {
      dmd_profile_t *p = page_add(&g.page, DMD_MODE_DARK_MATTER);
      dmd_heapgraph_add_groups(&g.other.graph, NULL);
      dmd_translation_t ids;
      dmd_translation_init_profile(&ids, p, &g.other.graph.profile, NULL, NULL);
      dmd_combine(&ids);
      dmd_translation_destroy(&ids);
      dmd_session_graph(&g.page.page, 0)->beside = 0;
      const cJSON *owners = member(page_ask(&g.page, "ask=owners&count=5"), "rows");
      const cJSON *worst = member(page_ask(&g.page, "ask=overview"), "worst");
      for (int i = 0; i < cJSON_GetArraySize(owners); i++) {
        const cJSON *owner = cJSON_GetArrayItem(owners, i), *one = cJSON_GetArrayItem(worst, i);
        assert_same(member(owner, "bytes"), member(one, "bytes"));
        const cJSON *by = cJSON_GetObjectItem(owner, "owner");
        const cJSON *said = cJSON_GetArrayItem(member(one, "whose"), 0);
        if (by == NULL)
          continue;
        assert_non_null(said);
        const cJSON *reporter = cJSON_GetObjectItem(by, "reporter");
        if (reporter != NULL)
          assert_has(said->valuestring, reporter->valuestring);
        n_told++;
      }
      const cJSON *coarse = member(page_ask(&g.page, "ask=overview&max-frames=1"), "worst"), *row;
      cJSON_ArrayForEach(row, coarse) {
        assert_int_equal(cJSON_GetArraySize(member(row, "whose")), 0);
      }
    }
    end(&g);
  }
  assert_true(n_told > 3);
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
      "ask=waste",
  };
  dice_t dice = {4};
  keyed_t keyed;
  keyed_random(&keyed, &host->env, &dice);
  dmd_session_t page;
  dmd_session_init(&page, &host->env);
  dmd_session_add_graph(&page, "g", DMD_SESSION_ALONE, &keyed.graph, &keyed.typing);
  for (size_t i = 0; i < COUNT_OF(queries); i++) {
    dmd_strbuf_t answer;
    dmd_out_t out;
    dmd_strbuf_init(&answer, &host->env);
    dmd_out_init(&out, dmd_strbuf_write, &answer);
    dmd_session_ask(&page, queries[i], &out);
    dmd_out_flush(&out);
    dmd_strbuf_destroy(&answer);
  }
  dmd_session_destroy(&page);
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
      cmocka_unit_test(waste_is_that_of_dmdv),
      cmocka_unit_test(neighbours_of_all_nodes),
      cmocka_unit_test(without_a_graph),
      cmocka_unit_test(graphs_are_listed),
      cmocka_unit_test(graphs_alone_are_files),
      cmocka_unit_test(owners_of_records),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
