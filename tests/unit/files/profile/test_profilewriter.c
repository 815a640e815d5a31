/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The written document: compared to the byte where it is small, and read back by a third-party
 * parser where it is large or hostile. */
#include "fixture.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "files/profile/profilewriter.h"

/* ---- to the byte ---- */

/* Defaults are left out; without a run there is no "dmd" key. */
static void plain_version_5(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  f.profile.options = "--mode=live";
  build_blocks(&f.profile, 1, 100, 12, "new (n.c:1)|main (m.c:2)", DMD_NONE);
  build_blocks(&f.profile, 3, 0, 0, "main (m.c:2)", DMD_NONE);
  build_blocks(&f.profile, 1, 8, 0, NULL, DMD_NONE);
  assert_text_equal(fixture_json(&f),
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
  fixture_end(&f);
}

static void an_empty_profile(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  assert_text_equal(fixture_json(&f),
                    "{\n"
                    " \"version\": 5,\n"
                    " \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"dark-matter\"},\n"
                    " \"blockList\": [],\n"
                    " \"traceTable\": {},\n"
                    " \"frameTable\": {}\n"
                    "}\n");
  fixture_end(&f);
}

static void build_all_blocks(dmd_profile_t *p) {
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
  build_fault(p, DMD_FAULT_REPORT_NO_BLOCK, 3, "size", "explicit/a");
  build_fault(p, DMD_FAULT_INVALID_FREE, 1, NULL, NULL);
}

static void build_run(dmd_profile_t *p) {
  p->run = (dmd_run_t){
      .is_known = true,
      .version = "1.0",
      .valgrind_version = "3.19.0",
      .command = "./app \"x\"",
      .folder = "/home/me",
      .host = "machine",
      .time = "2024-02-29T23:59:59Z",
      .label = NULL,
      .trigger = "exit",
      .allocator = "glibc",
      .allocator_chosen = "auto",
      .replaced_new = "/l/x.so",
      .pid = 77,
      .dump_number = 2,
      .word_szB = 8,
      .partial_stacks = true,
      .sample_below = 512,
      .seed = 9,
      .most_resident_szB = 77,
      .attach = {.time = "2024-02-29T23:50:00Z", .older_blocks = 5, .older_szB = 50},
      .n_allocs = 10,
      .n_frees = 4,
      .alloc_szB = 1000,
      .in_use_szB = 600,
      .in_use_blocks = 6,
      .freed_reported = 1,
  };
  dmd_profile_add_argument(p, "./app");
  dmd_profile_add_argument(p, "\"x\"");
  p->memory = (dmd_footprint_t){720, 0, DMD_MEMORY_UNKNOWN, 4096};
  dmd_footprint_t of_child = {1, DMD_MEMORY_UNKNOWN, 2, 3};
  dmd_profile_add_process(p, "child (pid 78)", &of_child);
  dmd_reporter_runs_add(&p->reporter_runs, dmd_intern_str(&p->names, "explicit/a"), 3);
  dmd_reporter_runs_add(&p->reporter_runs, dmd_intern_str(&p->names, "\"b\""), 0);
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
}

static const char all_keys_text[] =
    "{\n"
    " \"version\": 5,\n"
    " \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"dark-matter\"},\n"
    " \"dmd\": {\n"
    "  \"formatVersion\": 1,\n"
    "  \"version\": \"1.0\",\n"
    "  \"valgrindVersion\": \"3.19.0\",\n"
    "  \"command\": \"./app \\\"x\\\"\",\n"
    "  \"argv\": [\"./app\", \"\\\"x\\\"\"],\n"
    "  \"folder\": \"/home/me\",\n"
    "  \"host\": \"machine\",\n"
    "  \"time\": \"2024-02-29T23:59:59Z\",\n"
    "  \"pid\": 77,\n"
    "  \"dump\": 2,\n"
    "  \"trigger\": \"exit\",\n"
    "  \"label\": null,\n"
    "  \"attached\": {\"time\": \"2024-02-29T23:50:00Z\", \"olderBlocks\": 5, \"olderBytes\": "
    "50},\n"
    "  \"wordSize\": 8,\n"
    "  \"allocator\": \"glibc\",\n"
    "  \"allocatorChosen\": \"auto\",\n"
    "  \"replacedNew\": \"/l/x.so\",\n"
    "  \"stacks\": \"partial\",\n"
    "  \"sampleBelow\": 512,\n"
    "  \"seed\": 9,\n"
    "  \"totals\": {\"allocs\": 10, \"frees\": 4, \"allocBytes\": 1000, \"inUseBytes\": 600, "
    "\"inUseBlocks\": 6, \"freedReported\": 1},\n"
    "  \"residentPeak\": 77,\n"
    "  \"faults\": [\n"
    "   {\"kind\": \"report-no-block\", \"num\": 3, \"at\": \"1\", \"reporter\": "
    "\"explicit/a\"},\n"
    "   {\"kind\": \"invalid-free\", \"num\": 1}\n"
    "  ],\n"
    "  \"reporterRuns\": [\n"
    "   {\"reporter\": \"explicit/a\", \"runs\": 3},\n"
    "   {\"reporter\": \"\\\"b\\\"\", \"runs\": 0}\n"
    "  ],\n"
    "  \"memory\": {\"heapAllocated\": 720, \"heapOverhead\": 0, \"residentUnique\": 4096},\n"
    "  \"processes\": [\n"
    "   {\"process\": \"child (pid 78)\", \"memory\": {\"heapAllocated\": 1, \"resident\": 2, "
    "\"residentUnique\": 3}}\n"
    "  ],\n"
    "  \"memoryReports\": [\n"
    "   {\"path\": \"explicit/a\", \"kind\": \"heap\", \"units\": \"bytes\", \"amount\": -5},\n"
    "   {\"process\": \"child\", \"path\": \"cache/hits\", \"kind\": \"other\", \"units\": "
    "\"count-cumulative\", \"amount\": 9007199254740992, \"description\": \"\\\"Hits\\\".\", "
    "\"times\": 3}\n"
    "  ],\n"
    "  \"objects\": []\n"
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
    "}\n";

/* Everything that dmd adds to DMD's format, once. */
static void all_keys(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  build_all_blocks(p);
  build_run(p);
  assert_text_equal(fixture_json(&f), all_keys_text);
  p->run.label = "after start-up";
  p->run.partial_stacks = false;
  const char *text = fixture_json(&f);
  assert_has(text, "  \"label\": \"after start-up\",\n");
  assert_has(text, "  \"stacks\": \"full\",\n");
  fixture_end(&f);
}

static const struct {
  dmd_fault_kind_t kind;
  const char *numbers;
} kinds_with_numbers[] = {
    {DMD_FAULT_CLAIM, "\"claimed\": 18446744073709551615, \"measured\": 0, "},
    {DMD_FAULT_MEMORY_REPORT, "\"claimed\": 18446744073709551615, \"measured\": 0, "},
    {DMD_FAULT_REPORT_INTERIOR, "\"size\": 104, \"offset\": 8, "},
    {DMD_FAULT_REPORT_FREED, "\"size\": 104, "},
    {DMD_FAULT_REPORT_LENGTH, "\"size\": 104, \"length\": 7, "},
    {DMD_FAULT_REPORT_UNSCOPED, "\"size\": 104, "},
    {DMD_FAULT_REPORT_MIXED, "\"size\": 104, "},
    {DMD_FAULT_REPORT_SHARED_AGAIN, "\"size\": 104, "},
    {DMD_FAULT_UNREPORT_NO_BLOCK, "\"size\": 104, \"offset\": 8, "},
    {DMD_FAULT_REPORT_STACK, ""},
    {DMD_FAULT_REPORT_GLOBAL, ""},
    {DMD_FAULT_REPORT_MAPPED, ""},
    {DMD_FAULT_REPORT_NO_ADDRESS, ""},
    {DMD_FAULT_SCOPE_LEFT_OPEN, ""},
};

/* Numbers that the kind has are written even if they are 0; other numbers if they are known. */
static void faults(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(kinds_with_numbers); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    dmd_profile_t *p = &f.profile;
    p->run.is_known = true;
    dmd_fault_t fault = {.num = 2,
                         .kind = kinds_with_numbers[i].kind,
                         .stack = build_stack(p, "call"),
                         .reporter = build_name(p, "r\""),
                         .reason = DMD_REASON_NOT_A_BLOCK,
                         .allocated = build_stack(p, "new"),
                         .freed = build_stack(p, "drop"),
                         .reported = build_stack(p, "other"),
                         .other_reporter = build_name(p, "o"),
                         .scope = build_name(p, "s"),
                         .memory = build_name(p, "m"),
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
             dmd_fault_name(kinds_with_numbers[i].kind), kinds_with_numbers[i].numbers);
    assert_has(fixture_json(&f), expected);
    fixture_end(&f);
  }
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  f.profile.run.is_known = true;
  build_fault(&f.profile, DMD_FAULT_REPORT_LENGTH, 1, NULL, NULL);
  assert_has(fixture_json(&f),
             "   {\"kind\": \"report-length\", \"num\": 1, \"size\": 0, \"length\": 0}\n");
  fixture_end(&f);
}

/* DMD 5 reads a shared block as one report; all owners are in a key of their own. */
static void sharers(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  static const char *const owners[] = {"a", NULL, "a", "b", "c", "c"};
  uint32_t set = build_shared(p, owners, COUNT_OF(owners));
  build_blocks(p, 2, 100, 0, NULL, set);
  assert_has(fixture_json(&f),
             "  {\"req\":100,\"reps\":[\"1\"],\"reporters\":[\"a\"],\"sharers\":[{\"at\":"
             "\"1\",\"reporter\":\"a\"},{\"at\":\"4\",\"reporter\":\"c\"},{\"at\":\"3\","
             "\"reporter\":\"b\"},{\"at\":\"2\"}],"
             "\"num\":2}\n");
  fixture_end(&f);
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
    assert_string_equal(frame + 5, dmd_frames_text(&profile->frames, frames[i]));
  }
}

static void assert_block(const cJSON *root, const cJSON *block, const dmd_profile_t *profile,
                         const dmd_group_t *g) {
  assert_true(number_or(block, "req", 1) == g->req);
  assert_int_equal(number_or(block, "slop", 0), g->slop);
  assert_int_equal(number_or(block, "num", 1), g->num);
  assert_int_equal(number_or(block, "thread", 1), g->thread);
  assert_int_equal(cJSON_IsTrue(item(block, "sampled")), g->sampled);
  assert_trace(root, item(block, "alloc"), profile, g->stack);
  const cJSON *reps = item(block, "reps");
  assert_int_equal(reps == NULL, g->reports == DMD_NONE);
  if (reps == NULL)
    return;
  const dmd_report_set_t *set = dmd_reports_at(&profile->reports, g->reports);
  bool is_shared = dmd_reports_are_shared(&profile->reports, g->reports);
  int kept = set->count < 2 || is_shared ? 1 : 2;
  assert_int_equal(cJSON_GetArraySize(reps), kept);
  for (int i = 0; i < kept; i++)
    assert_trace(root, cJSON_GetArrayItem(reps, i), profile, set->report[i].stack);
  assert_int_equal(item(block, "sharers") != NULL, is_shared);
  if (!is_shared)
    assert_int_equal(number_or(block, "reports", (uint64_t)kept), set->count);
}

static void random_profiles_read_back(void **state) {
  (void)state;
  dice_t dice = {81};
  size_t n_blocks = 0;
  for (int round = 0; round < 200; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    cJSON *root = cJSON_ParseWithOpts(fixture_json(&f), NULL, true);
    assert_non_null(root);
    assert_int_equal(number_or(root, "version", 0), 5);
    assert_int_equal(cJSON_GetArraySize(item(root, "traceTable")),
                     dmd_intern_count(&f.profile.stacks));
    assert_int_equal(cJSON_GetArraySize(item(root, "frameTable")),
                     dmd_frames_count(&f.profile.frames));
    const cJSON *block;
    uint32_t id = 0;
    cJSON_ArrayForEach(block, item(root, "blockList"))
        assert_block(root, block, &f.profile, dmd_groups_at(&f.profile.groups, ++id));
    assert_int_equal(id, dmd_groups_count(&f.profile.groups));
    n_blocks += id;
    cJSON_Delete(root);
    fixture_end(&f);
  }
  assert_true(n_blocks > 1000);
}

/* Names, tags, labels, frames and commands come from programs and command lines. */
static void hostile_strings(void **state) {
  (void)state;
  static const char hostile[] = "a\"b\\c\x01\x1f\x7f\xff\xc3\xbc\xed\xa0\x80\xf0\x9f\x98\x80\n";
  static const char expected[] = "a\"b\\c\x01\x1f\x7f\xef\xbf\xbd\xc3\xbc\xef\xbf\xbd\xef\xbf\xbd"
                                 "\xef\xbf\xbd\xf0\x9f\x98\x80\n";
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  p->options = hostile;
  p->run = (dmd_run_t){.is_known = true,
                       .version = hostile,
                       .valgrind_version = hostile,
                       .command = hostile,
                       .label = hostile,
                       .trigger = hostile,
                       .allocator = hostile,
                       .allocator_chosen = hostile,
                       .replaced_new = hostile};
  build_tagged(p, 1, 8, 0, hostile, build_reports(p, 1, hostile, hostile, NULL, NULL), hostile);
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 1, .reporter = 1});
  const char *text = fixture_json(&f);
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
      item(run, "replacedNew"),
      item(item(run, "faults")->child, "reporter"),
      item(block, "tag"),
      item(block, "reporters")->child,
  };
  for (size_t i = 0; i < COUNT_OF(strings); i++)
    assert_string_equal(cJSON_GetStringValue(strings[i]), expected);
  assert_string_equal(cJSON_GetStringValue(item(root, "frameTable")->child) + 5, expected);
  cJSON_Delete(root);
  fixture_end(&f);
}

static const char objects_text[] = "  \"objects\": [\n"
                                   "   {\"path\":\"/bin/app\",\"frames\":{\"1\":16,\"4\":null}},\n"
                                   "   {\"path\":\"/l/\\\"x.so\",\"frames\":{\"5\":255}}\n"
                                   "  ],\n"
                                   "  \"functions\": {\n"
                                   "   \"5\": \"f\"\n"
                                   "  }\n"
                                   " },\n";

/* Only the fields of a frame that its text does not show are written. */
static void objects_of_frames(void **state) {
  (void)state;
  static const dmd_location_t locations[] = {
      {"main", "a.c", 3, "/bin/app", 0x10, NULL},
      {"run", NULL, 0, "/bin/app", 0x20, NULL},
      {NULL, NULL, 0, NULL, DMD_OFFSET_UNKNOWN, NULL},
      {"inlined", "a.h", 4, "/bin/app", DMD_OFFSET_UNKNOWN, NULL},
      {"f", "a (1).c", 4, "/l/\"x.so", 0xff, NULL},
      {"g", NULL, 0, "/l/y.so", 1, NULL},
  };
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_run(&f.profile);
  for (size_t i = 0; i < COUNT_OF(locations); i++)
    assert_int_equal(dmd_frames_add(&f.profile.frames, &locations[i]), i + 1);
  const char *objects = strstr(fixture_json(&f), "  \"objects\"");
  assert_non_null(objects);
  assert_memory_equal(objects, objects_text, strlen(objects_text));
  fixture_end(&f);
}

/* The writer allocates no memory of its own: it may run when there is little left. */
static void writing_allocates_nothing(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dice_t dice = {82};
  fill_at_random(&f.profile, &dice);
  size_t before = f.host.n_calls;
  fixture_json(&f);
  assert_int_equal(f.host.n_calls, before);
  fixture_end(&f);
}

static void a_full_disk_is_noticed(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dice_t dice = {83};
  for (int i = 0; i < 8; i++)
    fill_at_random(&f.profile, &dice);
  sink_t sink;
  sink_init(&sink);
  sink.fail_at = 2;
  dmd_profilewriter_write(&sink.out, &f.profile);
  assert_false(dmd_out_flush(&sink.out));
  assert_int_equal(sink.n_writes, 2);
  sink_free(&sink);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_version_5),
      cmocka_unit_test(an_empty_profile),
      cmocka_unit_test(all_keys),
      cmocka_unit_test(objects_of_frames),
      cmocka_unit_test(faults),
      cmocka_unit_test(sharers),
      cmocka_unit_test(random_profiles_read_back),

      cmocka_unit_test(hostile_strings),
      cmocka_unit_test(writing_allocates_nothing),
      cmocka_unit_test(a_full_disk_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
