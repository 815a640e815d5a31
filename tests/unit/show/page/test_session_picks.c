/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of one row of a sum, and sums by type if a heap graph lies beside the profile. */
#include "census_fixture.h"
#include "page_fixture.h"

#include "analyse/transform/merge.h"
#include "model/profile/profile.h"
#include "show/page/pagegraph.h"

#include <stdio.h>

static const char *const keys[] = {"reporter", "tag",  "thread", "function",
                                   "library",  "file", "type"};
static const char *const sections[] = {"all", "unreported", "once", "twice"};

/* Encodes a value of a query. */
static const char *encoded(const char *value) {
  static char text[4096];
  size_t n = 0;
  for (; *value != '\0'; value++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%%%02X", (unsigned char)*value);
  text[n] = '\0';
  return text;
}

/* ---- A page with files, each with a graph of the same blocks beside it. ---- */

enum { FILES = 2 };

typedef struct {
  page_fixture_t page;
  keyed_t graph[FILES];
  uint32_t n;
} typed_t;

/* Gives some blocks types, whoever allocated them. */
static void set_types(keyed_t *keyed, dice_t *dice) {
  static const char *const names[] = {"word", "Jar", "std::vector<Jar>"};
  uint32_t types[COUNT_OF(names)];
  for (size_t i = 0; i < COUNT_OF(names); i++)
    types[i] = dmd_types_add(&keyed->types,
                             &(dmd_type_t){.kind = DMD_TYPE_STRUCT,
                                           .name = dmd_intern_str(&keyed->types.names, names[i])});
  for (uint32_t node = dmd_heapgraph_first_block(&keyed->graph); node < keyed->graph.graph.n_nodes;
       node++)
    if (dice_below(dice, 4) > 0)
      dmd_typing_set(&keyed->typing, node, types[dice_below(dice, COUNT_OF(names))], 0,
                     DMD_EVIDENCE_SITE);
}

static void add_file(typed_t *t, uint32_t i, uint64_t seed) {
  dice_t dice = {seed};
  keyed_t *keyed = &t->graph[i];
  keyed_random(keyed, &t->page.host.env, &dice);
  set_types(keyed, &dice);
  keyed->graph.profile.mode = DMD_MODE_DARK_MATTER;
  dmd_heapgraph_add_groups(&keyed->graph, NULL);
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, page_add(&t->page, DMD_MODE_DARK_MATTER),
                               &keyed->graph.profile, NULL, NULL);
  dmd_combine(&ids);
  dmd_translation_destroy(&ids);
  dmd_session_add_graph(&t->page.page, "graph", i, &keyed->graph, &keyed->typing);
}

static void begin(typed_t *t, uint64_t seed) {
  page_begin(&t->page);
  for (t->n = 0; t->n < FILES; t->n++)
    add_file(t, t->n, seed + t->n);
}

static void end(typed_t *t) {
  if (t->page.has_text)
    sink_free(&t->page.sink);
  t->page.has_text = false;
  dmd_session_destroy(&t->page.page);
  dmd_session_init(&t->page.page, &t->page.host.env);
  for (uint32_t i = 0; i < t->n; i++)
    keyed_end(&t->graph[i]);
  page_end(&t->page);
}

/* ---- By type. ---- */

static const cJSON *row_of(const cJSON *rows, const char *name) {
  const cJSON *row;
  cJSON_ArrayForEach(row, rows) {
    if (strcmp(string_of(row, "name"), name) == 0)
      return row;
  }
  print_message("there is no row %s\n", name);
  fail();
  return NULL;
}

/* The rows are those of census, which counts blocks in another way. A row whose blocks cancelled
 * out is not in census. */
static int check_types(typed_t *t, const char *of, const char *graph, const char *filter) {
  const cJSON *answer = page_askf(&t->page, "ask=records&by=type&count=9999&%s", of), *row;
  const cJSON *census =
      page_askf(&t->page, "ask=census&by=type&count=9999&%s&filter=%s", graph, filter);
  int64_t bytes = 0;
  int n = 0;
  cJSON_ArrayForEach(row, member(census, "rows")) {
    const cJSON *shown = row_of(member(answer, "rows"), string_of(row, "key.type"));
    assert_same(member(shown, "blocks"), member(row, "blocks"));
    assert_same(member(shown, "bytes"), member(row, "bytes"));
    bytes += (int64_t)number_of(row, "bytes");
    n++;
  }
  assert_int_equal((int64_t)number_of(answer, "shown.bytes"), bytes);
  cJSON_ArrayForEach(row, member(answer, "rows")) {
    n -= number_of(row, "blocks") != 0 || number_of(row, "bytes") != 0;
  }
  assert_int_equal(n, 0);
  return cJSON_GetArraySize(member(answer, "rows"));
}

static void types_are_those_of_census(void **state) {
  (void)state;
  static typed_t t;
  int n_rows = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    begin(&t, seed);
    n_rows += check_types(&t, "of=0", "graph=0", "");
    n_rows += check_types(&t, "of=1&section=unreported", "graph=1", "state%3Dunreported");
    n_rows += check_types(&t, "of=1&section=once", "graph=1", "state%3Donce");
    n_rows += check_types(&t, "of=0&section=twice", "graph=0", "state%3Dtwice");
    n_rows += check_types(&t, "of=1&old=0", "graph=1&old=0", "");
    /* The heap is that of the profile. */
    for (int file = 0; file < FILES; file++) {
      const cJSON *typed = page_askf(&t.page, "ask=records&by=type&of=%d", file);
      const cJSON *plain = page_askf(&t.page, "ask=records&of=%d", file);
      assert_same(member(typed, "heap"), member(plain, "heap"));
      assert_same(member(page_askf(&t.page, "ask=treemap&by=type&of=%d", file), "bytes"),
                  member(plain, "bytes"));
    }
    end(&t);
  }
  assert_true(n_rows > 150);
}

/* Blocks that a profile does not distinguish. */
static void equal_blocks_of_two_types(void **state) {
  (void)state;
  static typed_t t;
  static const char *const names[] = {"Jar", "Lid", "Jar"};
  page_begin(&t.page);
  keyed_t *keyed = &t.graph[0];
  dmd_heapgraph_init(&keyed->graph, &t.page.host.env, 0, COUNT_OF(names), 0);
  for (uint64_t i = 0; i < COUNT_OF(names); i++) {
    dmd_heapgraph_add_block(&keyed->graph, &(dmd_graph_block_t){.addr = 0x1000 + 0x40 * i}, 24);
    dmd_heapgraph_end_node(&keyed->graph);
  }
  keyed_begin(keyed, &t.page.host.env);
  for (uint32_t i = 0; i < COUNT_OF(names); i++) {
    uint32_t type = dmd_types_add(
        &keyed->types, &(dmd_type_t){.kind = DMD_TYPE_STRUCT,
                                     .name = dmd_intern_str(&keyed->types.names, names[i])});
    dmd_typing_set(&keyed->typing, 1 + i, type, 0, DMD_EVIDENCE_SITE);
  }
  build_blocks(page_add(&t.page, DMD_MODE_DARK_MATTER), 3, 24, 0, NULL, DMD_NONE);
  dmd_session_add_graph(&t.page.page, "graph", 0, &keyed->graph, &keyed->typing);
  const cJSON *rows = member(page_ask(&t.page, "ask=records&by=type"), "rows");
  assert_int_equal(cJSON_GetArraySize(rows), 2);
  assert_int_equal(number_of(row_of(rows, "Jar"), "bytes"), 48);
  assert_int_equal(number_of(row_of(rows, "Lid"), "blocks"), 1);
  assert_int_equal(number_of(page_ask(&t.page, "ask=records&type=Jar"), "shown.blocks"), 2);
  t.n = 1;
  end(&t);
}

static void without_types(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  build_small(page_add(&f, DMD_MODE_DARK_MATTER));
  build_small(page_add(&f, DMD_MODE_CUMULATIVE));
  assert_rejected(&f, "ask=records&by=type", "types are in a heap graph");
  assert_rejected(&f, "ask=treemap&by=type", "types are in a heap graph");
  assert_rejected(&f, "ask=record&id=1&type=char", "types are in a heap graph");
  assert_rejected(&f, "ask=records&by=type&of=1", "types are known of blocks that are there");
  const cJSON *error = member(page_ask(&f, "ask=records&by=type"), "error");
  assert_has(string_of(error, "hint"), "--graph=yes");
  page_end(&f);
}

/* ---- Rows alone. ---- */

/* A filter on a row's name leaves just the blocks of the row. */
static int check_rows(page_fixture_t *f, const char *key, const char *rest) {
  const cJSON *rows = member(page_askf(f, "ask=records&by=%s&count=9999&%s", key, rest), "rows"),
              *row;
  int n = 0;
  cJSON_ArrayForEach(row, rows) {
    const char *name = encoded(string_of(row, "name"));
    if (name[0] == '\0')
      continue; /* an empty value would not filter */
    const cJSON *alone = page_askf(f, "ask=records&count=9999&%s&%s=%s", rest, key, name);
    const cJSON *again =
        page_askf(f, "ask=records&by=%s&count=9999&%s&%s=%s", key, rest, key, name);
    assert_same(member(alone, "shown.blocks"), member(row, "blocks"));
    const cJSON *same = row_of(member(again, "rows"), string_of(row, "name"));
    static const char *const figures[] = {"blocks", "bytes"};
    for (size_t i = 0; i < COUNT_OF(figures); i++)
      assert_same(member(same, figures[i]), member(row, figures[i]));
    /* A block that reporters share is whole with each. */
    if (strcmp(key, "reporter") != 0)
      assert_same(member(alone, "shown.bytes"), member(row, "bytes"));
    n++;
  }
  return n;
}

static void a_row_has_its_records(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {5};
  int n_rows = 0;
  for (int round = 0; round < 20; round++) {
    page_begin(&f);
    page_add_random(&f, &dice);
    page_add_random(&f, &dice);
    const dmd_profile_t *first = &dmd_session_file(&f.page, 0)->profile;
    const dmd_profile_t *second = &dmd_session_file(&f.page, 1)->profile;
    bool are_alike = first->mode == second->mode && dmd_sampled_alike(first, second);
    for (size_t i = 0; i + 1 < COUNT_OF(keys); i++) {
      n_rows += check_rows(&f, keys[i], "of=0");
      n_rows += are_alike ? check_rows(&f, keys[i], "of=1&old=0") : 0;
      n_rows += check_rows(&f, keys[i], "of=0&q=a");
    }
    page_end(&f);
  }
  assert_true(n_rows > 500);
}

static void a_type_has_its_records(void **state) {
  (void)state;
  static typed_t t;
  int n_rows = 0;
  for (uint64_t seed = 30; seed < 42; seed++) {
    begin(&t, seed);
    for (size_t i = 0; i < COUNT_OF(sections); i++) {
      char rest[64];
      snprintf(rest, sizeof rest, "of=1&section=%s", sections[i]);
      n_rows += check_rows(&t.page, "type", rest);
    }
    n_rows += check_rows(&t.page, "type", "of=1&old=0");
    end(&t);
  }
  assert_true(n_rows > 100);
}

/* Rows by one key in a row of another add up to that row. */
static void rows_within_rows(void **state) {
  (void)state;
  static typed_t t;
  int n_rows = 0;
  for (uint64_t seed = 50; seed < 54; seed++) {
    begin(&t, seed);
    for (size_t i = 1; i < COUNT_OF(keys); i++) {
      const char *inner = keys[1 + i % (COUNT_OF(keys) - 1)];
      const cJSON *row, *within;
      cJSON_ArrayForEach(row, member(page_askf(&t.page, "ask=records&by=%s", keys[i]), "rows")) {
        int64_t bytes = 0;
        const cJSON *rows = member(page_askf(&t.page, "ask=records&by=%s&%s=%s&count=9999", inner,
                                             keys[i], encoded(string_of(row, "name"))),
                                   "rows");
        cJSON_ArrayForEach(within, rows) {
          bytes += (int64_t)number_of(within, "bytes");
          n_rows++;
        }
        assert_int_equal(bytes, number_of(row, "bytes"));
      }
    }
    end(&t);
  }
  assert_true(n_rows > 100);
}

static void by_hand(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_tagged(p, 2, 90, 10, "malloc (m.c:1)|dark (a.c:2)|main (a.c:9)", DMD_NONE, "t");
  build_tagged(p, 1, 8, 0, "malloc (m.c:1)|dark (a.c:2)|main (a.c:9)", DMD_NONE, "u");
  build_blocks(p, 1, 30, 0, "calloc (m.c:1)|both[/l/lib.so +0x12]",
               build_reports(p, 2, "r", "explicit/a", "r", "explicit/b"));
  build_blocks(p, 1, 7, 0, "calloc (m.c:1)|both[/k/lib.so +0x12]", DMD_NONE);
  const cJSON *answer = page_ask(&f, "ask=records&tag=t");
  assert_int_equal(number_of(answer, "total"), 1);
  assert_int_equal(number_of(answer, "bytes"), 200);
  /* Shares are of the heap, also in copied text. */
  assert_int_equal(number_of(answer, "heap.bytes"), 245);
  assert_string_equal(string_of(cJSON_GetArrayItem(member(answer, "rows"), 0), "share"), "81.63%");
  assert_has(string_of(page_ask(&f, "ask=text&tag=t"), "text"), "81.63% of the heap");
  assert_int_equal(number_of(page_ask(&f, "ask=record&id=1&tag=u"), "bytes"), 8);
  assert_int_equal(number_of(page_ask(&f, "ask=records&tag=t&function=both"), "total"), 0);
  assert_int_equal(number_of(page_ask(&f, "ask=records&tag=&thread=no+such"), "bytes"), 0);
  assert_int_equal(number_of(page_ask(&f, "ask=records&reporter=explicit%2Fb"), "bytes"), 30);
  /* Two libraries have this name, so rows show their paths, whatever the filters are. */
  answer = page_ask(&f, "ask=records&by=library&reporter=explicit%2Fa");
  assert_string_equal(string_of(cJSON_GetArrayItem(member(answer, "rows"), 0), "name"),
                      "/l/lib.so");
  /* Copied text names its filters. */
  assert_has(string_of(page_ask(&f, "ask=text&tag=t&thread=thread+0"), "text"),
             "file, tag t, thread 0");
  page_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static const char *const queries[] = {
      "ask=records&by=type&q=a",
      "ask=records&by=type&of=0&old=0",
      "ask=records&thread=thread+1&type=from+a",
      "ask=treemap&by=type",
  };
  dice_t dice = {4};
  keyed_t keyed;
  keyed_random(&keyed, &host->env, &dice);
  dmd_session_t page;
  dmd_session_init(&page, &host->env);
  dmd_session_file_t *file = dmd_session_begin_file(&page, "f");
  build_small(&file->profile);
  dmd_session_end_file(&page, file, true);
  dmd_session_add_graph(&page, "g", 0, &keyed.graph, &keyed.typing);
  for (size_t i = 0; i < COUNT_OF(queries); i++)
    page_answers(&page, queries[i]);
  dmd_session_destroy(&page);
  keyed_end(&keyed);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_are_those_of_census),
      cmocka_unit_test(equal_blocks_of_two_types),
      cmocka_unit_test(without_types),
      cmocka_unit_test(a_row_has_its_records),
      cmocka_unit_test(a_type_has_its_records),
      cmocka_unit_test(rows_within_rows),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
