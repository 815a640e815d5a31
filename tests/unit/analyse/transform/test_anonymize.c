/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Anonymized profiles and graphs: every name is replaced by a word, and all figures stay the same.
 */
#include "fixture.h"
#include "types_fixture.h"

#include "analyse/graph/typing.h"
#include "analyse/records/allocfns.h"
#include "analyse/transform/anonymize.h"
#include "files/bundle/bundlewriter.h"
#include "files/profile/profilewriter.h"

#include "profiles/analyses.h"
#include "profiles/randomgraph.h"

/* Appears in every name that must go. */
#define S "secret"

static void same(dmd_anonymizer_t *a, dmd_name_kind_t kind, const char *name, const char *pattern) {
  const char *word = dmd_anonymous(a, kind, name);
  size_t n = strlen(pattern);
  assert_int_equal(strlen(word), n);
  for (size_t i = 0; i < n; i++)
    if (pattern[i] == '#')
      assert_non_null(strchr("0123456789abcdef", word[i]));
    else
      assert_int_equal(word[i], pattern[i]);
}

static void words(void **state) {
  (void)state;
  host_t host;
  dmd_anonymizer_t a, b;
  host_init(&host);
  dmd_anonymizer_init(&a, &host.env);
  dmd_anonymizer_init(&b, &host.env);
  same(&a, DMD_NAME_FUNCTION, "f(int)", "fn_##########");
  same(&a, DMD_NAME_SIZE_FN, S "_size_of", "size_##########");
  same(&a, DMD_NAME_FILE, "dir.c/secret.cpp", "file_##########.cpp");
  same(&a, DMD_NAME_FILE, "secret.secret", "file_##########");
  same(&a, DMD_NAME_OBJECT, "/home/" S "/libx.so", "lib_##########");
  same(&a, DMD_NAME_OBJECT, "/usr/" S "/libc.so.6", "libc.so.6");
  same(&a, DMD_NAME_PATH, "explicit/" S "//x", "explicit/part_##########//part_##########");
  same(&a, DMD_NAME_PATH, "explicitly", "part_##########");
  same(&a, DMD_NAME_TAG, "(other tags)", "(other tags)");
  same(&a, DMD_NAME_PROCESS, S " (pid 12)", "process_########## (pid 12)");
  same(&a, DMD_NAME_PROCESS, S " (pid 1" S ")", "process_##########");
  assert_null(dmd_anonymous(&a, DMD_NAME_TAG, NULL));
  /* A name always gets the same word, whoever makes it and whatever the name is of. */
  assert_string_equal(dmd_anonymous(&a, DMD_NAME_TAG, "x"), dmd_anonymous(&b, DMD_NAME_TAG, "x"));
  assert_string_equal(dmd_anonymous(&a, DMD_NAME_TAG, "x") + sizeof "tag_" - 1,
                      dmd_anonymous(&a, DMD_NAME_PATH, "x") + sizeof "part_" - 1);
  assert_string_not_equal(dmd_anonymous(&a, DMD_NAME_TAG, "x"),
                          dmd_anonymous(&a, DMD_NAME_TAG, "y"));
  /* FNV-1a of "a", from its authors' test vectors, mixed by splitmix64's last steps. */
  uint64_t h = dmd_hash_u64(UINT64_C(0xaf63dc4c8601ec8c));
  char expected[16];
  for (int i = 0; i < 10; i++, h >>= 4)
    expected[i] = "0123456789abcdef"[h & 15];
  expected[10] = '\0';
  assert_string_equal(dmd_anonymous(&a, DMD_NAME_FUNCTION, "a") + sizeof "fn_" - 1, expected);
  dmd_anonymizer_destroy(&b);
  dmd_anonymizer_destroy(&a);
  host_done(&host);
}

/* ---- Profiles. ---- */

static uint32_t frame(dmd_profile_t *p, const char *function, const char *file, const char *object,
                      uint64_t offset) {
  return dmd_frames_add(&p->frames, &(dmd_location_t){.function = function,
                                                      .file = file,
                                                      .line = file == NULL ? 0 : 7,
                                                      .object = object,
                                                      .offset = offset});
}

static void fill(dmd_profile_t *p) {
  dmd_footprint_t memory = {.resident = 5};
  p->options = "--tag-fn=" S;
  p->run = (dmd_run_t){.is_known = true,
                       .version = "0.1.0",
                       .command = "/opt/" S "/" S "d --x=" S,
                       .folder = "/home/" S,
                       .host = S,
                       .time = "2026-01-01T00:00:00Z",
                       .label = "after " S,
                       .trigger = "request",
                       .replaced_new = "/opt/" S ".so",
                       .pid = 12,
                       .word_szB = 8};
  dmd_profile_add_argument(p, "/opt/" S "/" S "d");
  dmd_profile_add_argument(p, "--x=" S);
  const char *lib = "/opt/" S "/lib.so", *libc = "/home/" S "/libc.so.6";
  uint32_t stack[] = {
      frame(p, "malloc", "/build/" S "/vg_replace_malloc.c", "/usr/" S "/vgpreload_dmd.so", 1),
      frame(p, S "_zmalloc", S ".c", lib, 2),
      frame(p, "std::vector<" S ">::push_back", S ".h", lib, 3),
      frame(p, S "::f(int)", S ".cc", lib, 4),
      frame(p, NULL, NULL, lib, 5),
      frame(p, "__libc_start_call_main", NULL, libc, 6),
      dmd_frames_read_text(&p->frames, S " alone"),
      dmd_frames_read_text(&p->frames, "main")};
  uint32_t allocated = dmd_profile_stack(p, stack, 8),
           reported = dmd_profile_stack(p, stack + 3, 5);
  dmd_report_set_t set = {.count = 1};
  set.report[0] =
      (dmd_report_t){.stack = reported, .reporter = dmd_intern_str(&p->names, "explicit/" S "/x")};
  dmd_group_t group = {.req = 10,
                       .slop = 6,
                       .num = 3,
                       .stack = allocated,
                       .reports = dmd_reports_intern(&p->reports, &set),
                       .tag = (uint16_t)dmd_tag_intern(&p->tags, S)};
  dmd_groups_add(&p->groups, &group);
  group.reports = DMD_NONE;
  dmd_groups_add(&p->groups, &group);
  dmd_fault_t fault = {.kind = DMD_FAULT_CLAIM, .num = 1};
  fault.stack = reported;
  fault.names[0] = set.report[0].reporter;
  dmd_faults_add(&p->faults, &fault);
  dmd_reporter_runs_add(&p->reporter_runs, set.report[0].reporter, 4);
  dmd_memreports_add(&p->memreports, &(dmd_memreport_t){.process = S " (pid 3)",
                                                        .path = "explicit/" S "/y",
                                                        .description = "of " S,
                                                        .amount = 44,
                                                        .times = 1});
  dmd_profile_add_process(p, S " (pid 12)", &memory);
  dmd_timeline_add_point(&p->timeline, &(dmd_timepoint_t){.ms = 5, .szB = 61, .least_szB = 61});
  dmd_timeline_add_mark(&p->timeline,
                        &(dmd_timemark_t){.text = dmd_intern_str(&p->names, "after " S)});
}

static const char *json_of(sink_t *sink, const dmd_profile_t *p) {
  sink_init(sink);
  dmd_profilewriter_write(&sink->out, p);
  return sink_text(sink);
}

static void no_name_is_left_in_a_profile(void **state) {
  (void)state;
  fixture_t f;
  dmd_anonymizer_t a;
  sink_t before, after;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile);
  dmd_anonymizer_init(&a, &f.host.env);
  dmd_anonymize_profile(&a, &f.other, &f.profile);
  assert_has(json_of(&before, &f.profile), S);
  const char *text = json_of(&after, &f.other);
  assert_lacks(text, S);
  assert_lacks(text, "/home");
  assert_lacks(text, "/opt");
  /* Public names, and figures. */
  assert_has(text, "malloc (vg_replace_malloc.c:7)");
  assert_has(text, "__libc_start_call_main[libc.so.6 +0x6]");
  assert_has(text, "main\"");
  assert_has(text, "2026-01-01T00:00:00Z");
  assert_has(text, "\"pid\": 12");
  assert_has(text, ".cc:7)");
  assert_has(text, "\"explicit/part_");
  assert_has(text, "[5,61,0,0,0]");
  const char *label =
      dmd_intern_get_str(&f.other.names, dmd_timeline_mark(&f.other.timeline, 1)->text);
  assert_string_equal(label, f.other.run.label);
  const dmd_group_t *group = dmd_groups_at(&f.other.groups, 1);
  assert_int_equal(dmd_groups_count(&f.other.groups), 2);
  assert_int_equal(group->num, 3);
  assert_int_equal(group->req, 10);
  assert_int_equal(group->slop, 6);
  /* The allocating frame is found as before: the fourth frame. */
  size_t n;
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, &f.other);
  const uint32_t *frames = dmd_profile_frames(&f.other, group->stack, &n);
  assert_int_equal(n, 8);
  assert_int_equal(dmd_first_own_frame(&fns, frames, n), 3);
  dmd_allocfns_destroy(&fns);
  sink_free(&after);
  sink_free(&before);
  dmd_anonymizer_destroy(&a);
  fixture_end(&f);
}

/* A function of the user's list is skipped afterwards without the list. */
static void patterns_are_not_needed(void **state) {
  (void)state;
  static const char *const patterns[] = {"my_" S "_*"};
  fixture_t f;
  dmd_anonymizer_t a;
  fixture_begin(&f, DMD_MODE_LIVE);
  f.profile.frame_view = (dmd_frame_view_t){.alloc_fns = patterns, .n_alloc_fns = 1};
  build_blocks(&f.profile, 1, 8, 0, "my_" S "_pool (a.c:1)|main (a.c:2)", DMD_NONE);
  dmd_anonymizer_init(&a, &f.host.env);
  dmd_anonymize_profile(&a, &f.other, &f.profile);
  f.other.frame_view = (dmd_frame_view_t){.n_alloc_fns = 0};
  size_t n;
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, &f.other);
  const uint32_t *frames =
      dmd_profile_frames(&f.other, dmd_groups_at(&f.other.groups, 1)->stack, &n);
  assert_int_equal(dmd_first_own_frame(&fns, frames, n), 1);
  dmd_allocfns_destroy(&fns);
  dmd_anonymizer_destroy(&a);
  fixture_end(&f);
}

/* ---- Graphs. ---- */

typedef struct {
  dmd_heapgraph_t heap;
  dmd_types_t types;
  dmd_typing_t typing;
} typed_t;

static void build_graph(typed_t *t, const dmd_env_t *env) {
  dmd_heapgraph_t *g = &t->heap;
  dmd_heapgraph_init(g, env, 1, 2, 2);
  dmd_profile_t *p = &g->profile;
  p->run = (dmd_run_t){.is_known = true, .folder = "/" S, .command = S, .pid = 3, .word_szB = 8};
  uint32_t object = dmd_heapgraph_add_object(
      g, &(dmd_graph_object_t){
             .path = "/" S, .soname = S ".so", .build_id = S, .n_build_id = sizeof S - 1});
  dmd_heapgraph_add_root(
      g, &(dmd_graph_root_t){
             .kind = DMD_ROOT_DATA, .object = object, .addr = 64, .szB = 16, .name = S "_table"});
  dmd_heapgraph_add_edge(g, 2, 8);
  dmd_heapgraph_end_node(g);
  uint16_t tag = (uint16_t)dmd_tag_intern(&p->tags, S);
  dmd_heapgraph_add_block(g, &(dmd_graph_block_t){.addr = 0x1000, .stack = 1, .tag = tag}, 24);
  dmd_heapgraph_add_edge(g, 3, 8);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_block(g, &(dmd_graph_block_t){.addr = 0x2000, .stack = 1, .reports = 1}, 24);
  dmd_heapgraph_end_node(g);
  uint32_t frames[] = {frame(p, S, S ".c", "/" S, 4), frame(p, "main", S ".c", "/" S, 5)};
  uint32_t codes[] = {dmd_heapgraph_add_code(g, object, 4, &frames[0], 1),
                      dmd_heapgraph_add_code(g, object, 5, &frames[1], 1)};
  dmd_heapgraph_add_stack(g, codes, 2);
  dmd_report_set_t set = {.count = 1};
  set.report[0] = (dmd_report_t){.stack = 1, .reporter = dmd_intern_str(&p->names, "explicit/" S)};
  dmd_reports_intern(&p->reports, &set);
  dmd_types_init(&t->types, env, 8);
  dmd_intern_str(&t->types.names, S "::"); /* of nothing */
  uint32_t node = struct_of(&t->types, S "_node", 24);
  uint32_t to_node = dmd_types_pointer_to(&t->types, node);
  uint32_t number = base_of(&t->types, DMD_TYPE_BASE, "long", 8);
  members_of(&t->types, node, (const member_t[]){{S "_count", number, 0}, {S, to_node, 8}}, 2);
  dmd_typing_init(&t->typing, g, &t->types);
  dmd_typing_set(&t->typing, 2, node, 0, DMD_EVIDENCE_SITE);
}

static void destroy_graph(typed_t *t) {
  dmd_typing_destroy(&t->typing);
  dmd_types_destroy(&t->types);
  dmd_heapgraph_destroy(&t->heap);
}

static bool has_bytes(const char *bytes, size_t n, const char *word) {
  size_t length = strlen(word);
  for (size_t i = 0; i + length <= n; i++)
    if (memcmp(bytes + i, word, length) == 0)
      return true;
  return false;
}

static void write_image(sink_t *sink, typed_t *t) {
  dmd_bundlewriter_t writer;
  sink_init(sink);
  dmd_bundlewriter_init(&writer, t->heap.env, sink->out.write, sink->out.ctx);
  dmd_bundlewriter_add_graph(&writer, &t->heap, &t->types, &t->typing);
  assert_true(dmd_bundlewriter_end(&writer));
}

static void no_name_is_left_in_a_graph(void **state) {
  (void)state;
  host_t host;
  typed_t t;
  dmd_anonymizer_t a;
  sink_t before, after, text;
  host_init(&host);
  build_graph(&t, &host.env);
  write_image(&before, &t);
  dmd_anonymizer_init(&a, &host.env);
  dmd_anonymize_graph(&a, &t.heap, &t.types);
  write_image(&after, &t);
  assert_true(has_bytes(before.text, before.n, S));
  assert_false(has_bytes(after.text, after.n, S));
  assert_true(has_bytes(after.text, after.n, "long"));
  sink_init(&text);
  write_analyses(&text.out, &t.heap, &t.typing);
  const char *all = sink_text(&text);
  assert_has(all, "type_");
  assert_has(all, "member_");
  assert_has(all, "var_");
  assert_has(all, "explicit/part_");
  assert_has(all, "tag_");
  assert_lacks(all, S);
  sink_free(&text);
  sink_free(&after);
  sink_free(&before);
  dmd_anonymizer_destroy(&a);
  destroy_graph(&t);
  host_done(&host);
}

static uint64_t throw(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

/* For one block: frames of its stack, reports, sharers, and whether it has a tag. */
typedef struct {
  size_t n_frames;
  uint32_t n_reports, n_kept;
  bool has_tag;
} figures_t;

static figures_t figures_of(const dmd_heapgraph_t *g, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(g, node);
  const dmd_reports_t *reports = &g->profile.reports;
  figures_t figures = {.has_tag = block->tag != DMD_NONE,
                       .n_kept = dmd_reports_n_kept(reports, block->reports)};
  if (block->reports != DMD_NONE)
    figures.n_reports = dmd_reports_at(reports, block->reports)->count;
  dmd_profile_frames(&g->profile, dmd_heapgraph_profile_stack(g, block->stack), &figures.n_frames);
  return figures;
}

static void figures_stay(void **state) {
  (void)state;
  enum { MAX_NODES = 100 };
  host_t host;
  dice_t dice = {31};
  host_init(&host);
  for (int i = 0; i < 200; i++) {
    dmd_heapgraph_t g;
    dmd_types_t types;
    dmd_anonymizer_t a;
    figures_t before[MAX_NODES];
    random_graph(&g, &host.env, &(random_dice_t){throw, &dice});
    dmd_types_init(&types, &host.env, 8);
    uint32_t first = dmd_heapgraph_first_block(&g), n = g.graph.n_nodes;
    assert_true(n <= MAX_NODES);
    for (uint32_t node = first; node < n; node++)
      before[node] = figures_of(&g, node);
    dmd_anonymizer_init(&a, &host.env);
    dmd_anonymize_graph(&a, &g, &types);
    for (uint32_t node = first; node < n; node++) {
      figures_t after = figures_of(&g, node);
      assert_int_equal(after.n_frames, before[node].n_frames);
      assert_int_equal(after.n_reports, before[node].n_reports);
      assert_int_equal(after.n_kept, before[node].n_kept);
      assert_int_equal(after.has_tag, before[node].has_tag);
    }
    dmd_anonymizer_destroy(&a);
    dmd_types_destroy(&types);
    dmd_heapgraph_destroy(&g);
  }
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  typed_t t;
  dmd_profile_t from, to;
  dmd_anonymizer_t a;
  dmd_profile_init(&from, &host->env);
  dmd_profile_init(&to, &host->env);
  fill(&from);
  build_graph(&t, &host->env);
  dmd_anonymizer_init(&a, &host->env);
  dmd_anonymize_profile(&a, &to, &from);
  dmd_anonymize_graph(&a, &t.heap, &t.types);
  dmd_anonymizer_destroy(&a);
  destroy_graph(&t);
  dmd_profile_destroy(&to);
  dmd_profile_destroy(&from);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words),
      cmocka_unit_test(no_name_is_left_in_a_profile),
      cmocka_unit_test(patterns_are_not_needed),
      cmocka_unit_test(no_name_is_left_in_a_graph),
      cmocka_unit_test(figures_stay),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
