/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The document that is written, to the byte where it is small, and read back by another's parser
 * where it is large or hostile. */
#include "build.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "profile/json.h"

typedef struct {
  host_t host;
  dmd_profile_t profile;
} fixture_t;

static void begin(fixture_t *f, dmd_mode_t mode) {
  host_init(&f->host);
  dmd_profile_init(&f->profile, &f->host.env);
  f->profile.mode = mode;
}

static void end(fixture_t *f) {
  dmd_profile_destroy(&f->profile);
  host_done(&f->host);
}

static const char *written(sink_t *sink, const dmd_profile_t *profile) {
  sink_init(sink);
  dmd_json_write(&sink->out, profile);
  return sink_text(sink);
}

/* ---- to the byte ---- */

/* What is absent by default is absent; without a run there is no "dmd" key. */
static void plain_version_5(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  f.profile.options = "--mode=live";
  build_blocks(&f.profile, 1, 100, 12, "new (n.c:1)|main (m.c:2)", DMD_NONE);
  build_blocks(&f.profile, 3, 0, 0, "main (m.c:2)", DMD_NONE);
  build_blocks(&f.profile, 1, 8, 0, NULL, DMD_NONE);
  sink_t sink;
  assert_text_equal(written(&sink, &f.profile),
                    "{\n"
                    " \"version\": 5,\n"
                    " \"invocation\": {\"dmdEnvVar\": \"--mode=live\", \"mode\": \"live\"},\n"
                    " \"blockList\": [\n"
                    "  {\"req\":100,\"slop\":12,\"alloc\":\"1\"},\n"
                    "  {\"req\":0,\"alloc\":\"2\",\"num\":3},\n"
                    "  {\"req\":8}\n"
                    " ],\n"
                    " \"traceTable\": {\n"
                    "  \"1\": [\"1\",\"2\"],\n"
                    "  \"2\": [\"2\"]\n"
                    " },\n"
                    " \"frameTable\": {\n"
                    "  \"1\": \"#00: new (n.c:1)\",\n"
                    "  \"2\": \"#00: main (m.c:2)\"\n"
                    " }\n"
                    "}\n");
  sink_free(&sink);
  end(&f);
}

static void an_empty_profile(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  sink_t sink;
  assert_text_equal(written(&sink, &f.profile),
                    "{\n"
                    " \"version\": 5,\n"
                    " \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"dark-matter\"},\n"
                    " \"blockList\": [],\n"
                    " \"traceTable\": {},\n"
                    " \"frameTable\": {}\n"
                    "}\n");
  sink_free(&sink);
  end(&f);
}

/* Everything that dmd adds, once. */
static void all_keys(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  uint32_t once = build_reports(p, 1, "size", "explicit/a", NULL, NULL);
  uint32_t twice = build_reports(p, 2, "size", NULL, "count", "explicit/b");
  uint32_t often = build_reports(p, 7, "size", NULL, "size", NULL);
  build_tagged(p, 1, 16, 8, "new", once, "lua");
  build_blocks(p, 1, 16, 8, "new", twice);
  build_blocks(p, 2, 16, 8, "new", often);
  dmd_group_t g = {.req = 512, .num = 4, .stack = build_stack(p, "new"), .thread = 2, .sampled = 1};
  dmd_groups_add(&p->groups, &g);
  g = (dmd_group_t){.req = 24, .num = 1, .thread = 1};
  dmd_groups_add(&p->groups, &g);
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 3,
                                            .kind = DMD_FAULT_REPORT_NO_BLOCK,
                                            .stack = build_stack(p, "size"),
                                            .reporter = dmd_intern_str(&p->names, "explicit/a")});
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 1, .kind = DMD_FAULT_INVALID_FREE});
  p->run = (dmd_run_t){
      .is_known = true,
      .version = "1.0",
      .valgrind_version = "3.19.0",
      .command = "./app \"x\"",
      .label = NULL,
      .trigger = "exit",
      .allocator = "glibc",
      .allocator_chosen = "auto",
      .pid = 77,
      .dump_number = 2,
      .word_szB = 8,
      .partial_stacks = true,
      .sample_below = 512,
      .seed = 9,
      .n_allocs = 10,
      .n_frees = 4,
      .alloc_szB = 1000,
      .in_use_szB = 600,
      .in_use_blocks = 6,
      .freed_reported = 1,
  };
  p->memory = (dmd_footprint_t){720, 0, DMD_MEMORY_UNKNOWN, 4096};
  dmd_memreports_add(&p->memreports, &(dmd_memreport_t){.path = "explicit/a",
                                                        .amount = -5,
                                                        .times = 1,
                                                        .kind = DMD_MEMREPORT_HEAP,
                                                        .units = DMD_MEMREPORT_BYTES});
  dmd_memreports_add(&p->memreports, &(dmd_memreport_t){.process = "child",
                                                        .path = "cache/hits",
                                                        .description = "\"Hits\".",
                                                        .amount = DMD_MEMREPORT_MAX_AMOUNT,
                                                        .times = 3,
                                                        .kind = DMD_MEMREPORT_OTHER,
                                                        .units = DMD_MEMREPORT_CUMULATIVE});
  sink_t sink;
  assert_text_equal(
      written(&sink, p),
      "{\n"
      " \"version\": 5,\n"
      " \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"dark-matter\"},\n"
      " \"dmd\": {\n"
      "  \"formatVersion\": 1,\n"
      "  \"version\": \"1.0\",\n"
      "  \"valgrindVersion\": \"3.19.0\",\n"
      "  \"command\": \"./app \\\"x\\\"\",\n"
      "  \"pid\": 77,\n"
      "  \"dump\": 2,\n"
      "  \"trigger\": \"exit\",\n"
      "  \"label\": null,\n"
      "  \"wordSize\": 8,\n"
      "  \"allocator\": \"glibc\",\n"
      "  \"allocatorChosen\": \"auto\",\n"
      "  \"stacks\": \"partial\",\n"
      "  \"sampleBelow\": 512,\n"
      "  \"seed\": 9,\n"
      "  \"totals\": {\"allocs\": 10, \"frees\": 4, \"allocBytes\": 1000, \"inUseBytes\": 600, "
      "\"inUseBlocks\": 6, \"freedReported\": 1},\n"
      "  \"faults\": [\n"
      "   {\"kind\": \"report-no-block\", \"num\": 3, \"at\": \"1\", \"reporter\": "
      "\"explicit/a\"},\n"
      "   {\"kind\": \"invalid-free\", \"num\": 1}\n"
      "  ],\n"
      "  \"memory\": {\"heapAllocated\": 720, \"heapOverhead\": 0, \"residentUnique\": 4096},\n"
      "  \"memoryReports\": [\n"
      "   {\"path\": \"explicit/a\", \"kind\": \"heap\", \"units\": \"bytes\", \"amount\": -5},\n"
      "   {\"process\": \"child\", \"path\": \"cache/hits\", \"kind\": \"other\", \"units\": "
      "\"count-cumulative\", \"amount\": 9007199254740992, \"description\": \"\\\"Hits\\\".\", "
      "\"times\": 3}\n"
      "  ]\n"
      " },\n"
      " \"blockList\": [\n"
      "  {\"req\":16,\"slop\":8,\"alloc\":\"3\",\"reps\":[\"1\"],\"reporters\":"
      "[\"explicit/a\"],\"tag\":\"lua\"},\n"
      "  {\"req\":16,\"slop\":8,\"alloc\":\"3\",\"reps\":[\"1\",\"2\"],\"reporters\":"
      "[null,\"explicit/b\"]},\n"
      "  {\"req\":16,\"slop\":8,\"alloc\":\"3\",\"reps\":[\"1\",\"1\"],\"reports\":7,"
      "\"num\":2},\n"
      "  {\"req\":512,\"alloc\":\"3\",\"num\":4,\"thread\":2,\"sampled\":true},\n"
      "  {\"req\":24}\n"
      " ],\n"
      " \"traceTable\": {\n"
      "  \"1\": [\"1\"],\n"
      "  \"2\": [\"2\"],\n"
      "  \"3\": [\"3\"]\n"
      " },\n"
      " \"frameTable\": {\n"
      "  \"1\": \"#00: size\",\n"
      "  \"2\": \"#00: count\",\n"
      "  \"3\": \"#00: new\"\n"
      " }\n"
      "}\n");
  sink_free(&sink);
  p->run.label = "after start-up";
  p->run.partial_stacks = false;
  const char *text = written(&sink, p);
  assert_non_null(strstr(text, "  \"label\": \"after start-up\",\n"));
  assert_non_null(strstr(text, "  \"stacks\": \"full\",\n"));
  sink_free(&sink);
  end(&f);
}

static void check_has(const dmd_profile_t *profile, const char *expected) {
  sink_t sink;
  const char *text = written(&sink, profile);
  if (strstr(text, expected) == NULL)
    fail_msg("%s\nis not in\n%s", expected, text);
  sink_free(&sink);
}

/* Numbers are those that the kind has, 0 too; of the rest what is known. */
static void faults(void **state) {
  (void)state;
  static const struct {
    dmd_fault_kind_t kind;
    const char *numbers;
  } kinds[] = {
      {DMD_FAULT_CLAIM, "\"claimed\": 18446744073709551615, \"measured\": 0, "},
      {DMD_FAULT_MEMORY_REPORT, "\"claimed\": 18446744073709551615, \"measured\": 0, "},
      {DMD_FAULT_REPORT_INTERIOR, "\"size\": 104, \"offset\": 8, "},
      {DMD_FAULT_REPORT_FREED, "\"size\": 104, "},
      {DMD_FAULT_REPORT_LENGTH, "\"size\": 104, \"length\": 7, "},
      {DMD_FAULT_REPORT_UNSCOPED, "\"size\": 104, "},
      {DMD_FAULT_REPORT_MIXED, "\"size\": 104, "},
      {DMD_FAULT_REPORT_STACK, ""},
      {DMD_FAULT_REPORT_GLOBAL, ""},
      {DMD_FAULT_REPORT_MAPPED, ""},
      {DMD_FAULT_REPORT_NO_ADDRESS, ""},
      {DMD_FAULT_SCOPE_LEFT_OPEN, ""},
  };
  for (size_t i = 0; i < COUNT_OF(kinds); i++) {
    fixture_t f;
    begin(&f, DMD_MODE_DARK_MATTER);
    dmd_profile_t *p = &f.profile;
    p->run.is_known = true;
    dmd_fault_t fault = {.num = 2,
                         .kind = kinds[i].kind,
                         .stack = build_stack(p, "call"),
                         .reporter = dmd_intern_str(&p->names, "r\""),
                         .reason = DMD_REASON_NOT_A_BLOCK,
                         .allocated = build_stack(p, "new"),
                         .freed = build_stack(p, "drop"),
                         .reported = build_stack(p, "other"),
                         .other_reporter = dmd_intern_str(&p->names, "o"),
                         .scope = dmd_intern_str(&p->names, "s"),
                         .memory = dmd_intern_str(&p->names, "m"),
                         .bytes = UINT64_MAX,
                         .claimed = UINT64_MAX,
                         .size = 104,
                         .offset = 8,
                         .length = 7};
    dmd_faults_add(&p->faults, &fault);
    char expected[500];
    snprintf(expected, sizeof expected,
             "   {\"kind\": \"%s\", \"num\": 2, \"bytes\": 18446744073709551615, \"reason\": "
             "\"not-a-block\", %s\"at\": \"1\", \"allocatedAt\": \"2\", \"freedAt\": \"3\", "
             "\"reportedAt\": \"4\", \"reporter\": \"r\\\"\", \"otherReporter\": \"o\", \"scope\": "
             "\"s\", \"memory\": \"m\"}\n",
             dmd_fault_name(kinds[i].kind), kinds[i].numbers);
    check_has(p, expected);
    end(&f);
  }
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  f.profile.run.is_known = true;
  dmd_faults_add(&f.profile.faults, &(dmd_fault_t){.num = 1, .kind = DMD_FAULT_REPORT_LENGTH});
  check_has(&f.profile,
            "   {\"kind\": \"report-length\", \"num\": 1, \"size\": 0, \"length\": 0}\n");
  end(&f);
}

/* What DMD 5 reads of a shared block is one report; all owners are in a key of their own. */
static void sharers(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  static const char *const owners[] = {"a", NULL, "a", "b", "c", "c"};
  uint32_t set = DMD_NONE;
  for (size_t i = 0; i < COUNT_OF(owners); i++) {
    dmd_report_t report = {.stack = build_stack(p, owners[i] == NULL ? "none" : owners[i]),
                           .reporter =
                               owners[i] == NULL ? DMD_NONE : dmd_intern_str(&p->names, owners[i]),
                           .flags = DMD_REPORT_SHARED};
    set = dmd_reports_add(&p->reports, set, report);
  }
  build_blocks(p, 2, 100, 0, NULL, set);
  check_has(p, "  {\"req\":100,\"reps\":[\"1\"],\"reporters\":[\"a\"],\"sharers\":[{\"at\":"
               "\"1\",\"reporter\":\"a\",\"num\":2},{\"at\":\"2\"},{\"at\":\"3\","
               "\"reporter\":\"b\"},{\"at\":\"4\",\"reporter\":\"c\",\"num\":2}],"
               "\"num\":2}\n");
  end(&f);
}

/* ---- read back ---- */

static const cJSON *item(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static uint64_t number_or(const cJSON *object, const char *key, uint64_t otherwise) {
  const cJSON *value = item(object, key);
  return value == NULL ? otherwise : (uint64_t)cJSON_GetNumberValue(value);
}

/* Whether the trace with this id has these frames, in this order. */
static void assert_trace(const cJSON *root, const cJSON *trace_id, const dmd_profile_t *profile,
                         uint32_t stack) {
  if (stack == DMD_NONE) {
    assert_null(trace_id);
    return;
  }
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  const cJSON *trace = item(item(root, "traceTable"), cJSON_GetStringValue(trace_id));
  assert_true(cJSON_IsArray(trace));
  assert_int_equal(cJSON_GetArraySize(trace), n);
  const cJSON *frame_id = trace->child;
  for (size_t i = 0; i < n; i++, frame_id = frame_id->next) {
    const char *frame =
        cJSON_GetStringValue(item(item(root, "frameTable"), cJSON_GetStringValue(frame_id)));
    assert_non_null(frame);
    assert_int_equal(strncmp(frame, "#00: ", 5), 0);
    assert_string_equal(frame + 5, dmd_intern_get_str(&profile->frames, frames[i]));
  }
}

static void random_stack(dice_t *dice, char *frames) {
  *frames = '\0';
  for (uint64_t n = dice_below(dice, 5); n > 0; n--)
    frames += sprintf(frames, "%c\"%d\\\t\xc3\xbc|", (int)('a' + dice_below(dice, 9)),
                      (int)dice_below(dice, 9));
}

static void build_random(dmd_profile_t *p, dice_t *dice) {
  for (int i = 0; i < 300; i++) {
    char stack[3][64];
    for (int k = 0; k < 3; k++)
      random_stack(dice, stack[k]);
    uint32_t count = (uint32_t)dice_below(dice, 4);
    dmd_group_t g = {
        .req = dice_any_size(dice) >> 11, /* below 2^53: exact for the parser */
        .slop = dice_below(dice, 3) * dice_below(dice, 5000),
        .num = 1 + dice_below(dice, 2) * dice_below(dice, 100000),
        .stack = dice_below(dice, 10) == 0 ? DMD_NONE : build_stack(p, stack[0]),
        .reports = build_reports(p, count, stack[1], NULL, stack[2], NULL),
        .thread = (uint16_t)(dice_below(dice, 4) & DMD_MAX_THREAD),
        .sampled = dice_below(dice, 2) & 1,
    };
    dmd_groups_add(&p->groups, &g);
  }
}

static void random_profiles_read_back(void **state) {
  (void)state;
  dice_t dice = {81};
  for (int round = 0; round < 20; round++) {
    fixture_t f;
    begin(&f, DMD_MODE_DARK_MATTER);
    build_random(&f.profile, &dice);
    sink_t sink;
    cJSON *root = cJSON_ParseWithOpts(written(&sink, &f.profile), NULL, true);
    assert_non_null(root);
    assert_int_equal(number_or(root, "version", 0), 5);
    assert_int_equal(cJSON_GetArraySize(item(root, "traceTable")),
                     dmd_intern_count(&f.profile.stacks));
    assert_int_equal(cJSON_GetArraySize(item(root, "frameTable")),
                     dmd_intern_count(&f.profile.frames));
    const cJSON *block;
    uint32_t id = 0;
    cJSON_ArrayForEach(block, item(root, "blockList")) {
      const dmd_group_t *g = dmd_groups_at(&f.profile.groups, ++id);
      assert_true(number_or(block, "req", 1) == g->req);
      assert_int_equal(number_or(block, "slop", 0), g->slop);
      assert_int_equal(number_or(block, "num", 1), g->num);
      assert_int_equal(number_or(block, "thread", 1), g->thread == 0 ? 1 : g->thread);
      assert_int_equal(cJSON_IsTrue(item(block, "sampled")), g->sampled);
      assert_trace(root, item(block, "alloc"), &f.profile, g->stack);
      const cJSON *reps = item(block, "reps");
      assert_int_equal(reps == NULL, g->reports == DMD_NONE);
      if (reps == NULL)
        continue;
      const dmd_report_set_t *set = dmd_reports_at(&f.profile.reports, g->reports);
      int kept = set->count < 2 ? 1 : 2;
      assert_int_equal(cJSON_GetArraySize(reps), kept);
      for (int i = 0; i < kept; i++)
        assert_trace(root, cJSON_GetArrayItem(reps, i), &f.profile, set->report[i].stack);
      assert_int_equal(number_or(block, "reports", (uint64_t)kept), set->count);
    }
    assert_int_equal(id, dmd_groups_count(&f.profile.groups));
    cJSON_Delete(root);
    sink_free(&sink);
    end(&f);
  }
}

/* Names, tags, labels, frames and commands come from programs and command lines. */
static void hostile_strings(void **state) {
  (void)state;
  static const char hostile[] = "a\"b\\c\x01\x1f\x7f\xff\xc3\xbc\xed\xa0\x80\xf0\x9f\x98\x80\n";
  static const char expected[] = "a\"b\\c\x01\x1f\x7f\xef\xbf\xbd\xc3\xbc\xef\xbf\xbd\xef\xbf\xbd"
                                 "\xef\xbf\xbd\xf0\x9f\x98\x80\n";
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  p->options = hostile;
  p->run = (dmd_run_t){.is_known = true,
                       .version = hostile,
                       .valgrind_version = hostile,
                       .command = hostile,
                       .label = hostile,
                       .trigger = hostile,
                       .allocator = hostile,
                       .allocator_chosen = hostile};
  build_tagged(p, 1, 8, 0, hostile, build_reports(p, 1, hostile, hostile, NULL, NULL), hostile);
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 1, .reporter = 1});
  sink_t sink;
  const char *text = written(&sink, p);
  assert_true(naive_utf8_valid(text));
  cJSON *root = cJSON_ParseWithOpts(text, NULL, true);
  assert_non_null(root);
  const cJSON *run = item(root, "dmd"), *block = item(root, "blockList")->child;
  const cJSON *strings[] = {
      item(item(root, "invocation"), "dmdEnvVar"),
      item(run, "version"),
      item(run, "valgrindVersion"),
      item(run, "command"),
      item(run, "label"),
      item(run, "trigger"),
      item(run, "allocator"),
      item(run, "allocatorChosen"),
      item(item(run, "faults")->child, "reporter"),
      item(block, "tag"),
      item(block, "reporters")->child,
  };
  for (size_t i = 0; i < COUNT_OF(strings); i++)
    assert_string_equal(cJSON_GetStringValue(strings[i]), expected);
  assert_string_equal(cJSON_GetStringValue(item(root, "frameTable")->child) + 5, expected);
  cJSON_Delete(root);
  sink_free(&sink);
  end(&f);
}

/* Memory of the writer's own: none. It may run when there is little left. */
static void writing_allocates_nothing(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dice_t dice = {82};
  build_random(&f.profile, &dice);
  size_t before = f.host.n_calls;
  sink_t sink;
  written(&sink, &f.profile);
  assert_int_equal(f.host.n_calls, before);
  sink_free(&sink);
  end(&f);
}

static void a_full_disk_is_noticed(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dice_t dice = {83};
  build_random(&f.profile, &dice);
  sink_t sink;
  sink_init(&sink);
  sink.fail_at = 2;
  dmd_json_write(&sink.out, &f.profile);
  assert_false(dmd_out_flush(&sink.out));
  assert_int_equal(sink.n_writes, 2);
  sink_free(&sink);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_version_5),
      cmocka_unit_test(an_empty_profile),
      cmocka_unit_test(all_keys),
      cmocka_unit_test(faults),
      cmocka_unit_test(sharers),
      cmocka_unit_test(random_profiles_read_back),

      cmocka_unit_test(hostile_strings),
      cmocka_unit_test(writing_allocates_nothing),
      cmocka_unit_test(a_full_disk_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
