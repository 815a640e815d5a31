/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The positions of blocks as cells, and how full their pages are: by hand. */
#include "census_fixture.h"
#include "page_fixture.h"

#include "show/page/heapmap.h"
#include "show/page/pagegraph.h"

/* Blocks with these addresses and sizes; the last one lies within the one before it. */
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
  dmd_session_add_graph(&f.page, "g", DMD_SESSION_ALONE, &keyed.graph, &keyed.typing);
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
  assert_rejected(&f, "ask=map&by=colour", "is not a key");
  assert_rejected(&f, "ask=map&from=99999", "from cannot be");
  dmd_session_destroy(&f.page);
  dmd_session_init(&f.page, &f.host.env);
  keyed_end(&keyed);
  page_end(&f);
}

/* The cells of each map add up to the same sums. */
static void cells_add_up(void **state) {
  (void)state;
  static page_fixture_t f;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    dice_t dice = {seed};
    keyed_t keyed;
    page_begin(&f);
    keyed_random(&keyed, &f.host.env, &dice);
    dmd_session_add_graph(&f.page, "g", DMD_SESSION_ALONE, &keyed.graph, &keyed.typing);
    double last = -1;
    for (int cells = 1; cells <= 4096; cells *= 8) {
      const cJSON *map = page_askf(&f, "ask=map&by=type&cells=%d", cells), *used;
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
    dmd_session_destroy(&f.page);
    dmd_session_init(&f.page, &f.host.env);
    keyed_end(&keyed);
    page_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_heapgraph_t graph;
  make_graph(&graph, &host->env);
  dmd_heapmap_t map;
  dmd_heapmap_init(&map, &graph);
  assert_int_equal(map.regions.last, 2);
  dmd_heapmap_destroy(&map);
  dmd_heapgraph_destroy(&graph);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_map_by_hand),
      cmocka_unit_test(cells_add_up),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
