/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#include "files/profile/profilereader.h"
#include "files/profile/profilewriter.h"
#include "host/process.h"
#include "model/profile/frame.h"

/* ---- How much of a stack is shown. ---- */

/* m: main, b: below it. */
static dmd_code_kind_t kind_of(const void *ctx, uint32_t i) {
  char c = ((const char *)ctx)[i];
  return c == 'm' ? DMD_CODE_MAIN : c == 'b' ? DMD_CODE_BELOW_MAIN : DMD_CODE_OTHER;
}

static void what_is_below_main_is_not_shown(void **state) {
  (void)state;
  static const struct {
    const char *stack;
    uint32_t n;
  } cases[] = {{"", 0},     {"...", 3},   {"..m", 3},    {"..mbb", 3}, {"..m.b", 3},
               {"..bb", 3}, {"..b.b", 3}, {".m..mb", 5}, {".b.mb", 4}, {"m", 1}};
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    assert_int_equal(dmd_stack_shown((uint32_t)strlen(cases[i].stack), kind_of, cases[i].stack),
                     cases[i].n);
}

/* ---- Names for the frames of a file. ---- */

/* A namer that knows a.so, of build 0a1b; counts its calls. */
typedef struct {
  int n_asked;
} asked_t;

static void say(dmd_function_fn visit, void *visitor, const char *name, const char *file,
                uint32_t line, bool is_inlined) {
  dmd_function_t function = {.name = name, .file = file, .line = line, .is_inlined = is_inlined};
  visit(visitor, &function);
}

static bool functions(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                      dmd_code_kind_t *kind) {
  asked_t *asked = ctx;
  asked->n_asked++;
  if (strcmp(at->object, "/l/a.so") != 0 || strcmp(at->build_id, "0a1b") != 0)
    return false;
  *kind = at->offset == 0x30   ? DMD_CODE_MAIN
          : at->offset == 0x40 ? DMD_CODE_BELOW_MAIN
                               : DMD_CODE_OTHER;
  switch (at->offset) {
  case 0x10:
  case 0x18: /* another call of the line */
    say(visit, visitor, "inner", "a.h", 3, true);
    say(visit, visitor, "outer", "a.c", 7, false);
    return true;
  case 0x20:
    say(visit, visitor, "bare", NULL, 0, false);
    return true;
  case 0x30:
    say(visit, visitor, "main", "a.c", 9, false);
    return true;
  case 0x40:
    say(visit, visitor, "(below main)", "s.c", 1, false);
    return true;
  default:
    return false;
  }
}

/* The frames of b are of another build, that of c has a name, those of d lack the fields that
 * naming needs. */
static const char document[] =
    "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"live\"},"
    "\"dmd\": {\"objects\": ["
    "{\"path\": \"/l/a.so\", \"buildId\": \"0a1b\", \"frames\": {\"a1\": 16, \"a2\": 24, \"a3\": "
    "32, \"a4\": 48, \"a5\": 64, \"a6\": 80}},"
    "{\"buildId\": \"ffff\", \"frames\": {\"b\": 16}, \"path\": \"/l/a.so\"},"
    "{\"buildId\": \"0a1b\", \"frames\": {\"c\": 32}, \"path\": \"/l/a.so\"},"
    "{\"frames\": {\"d1\": 16}, \"path\": \"/l/a.so\"}, "
    "{\"path\": \"/l/a.so\", \"buildId\": \"0a1b\", \"frames\": {\"d2\": null}}]},"
    "\"blockList\": [{\"req\": 1, \"alloc\": \"1\"}, {\"req\": 2, \"alloc\": \"2\"}, "
    "{\"req\": 3, \"alloc\": \"3\"}],"
    "\"traceTable\": {\"1\": [\"a1\", \"a3\", \"a4\", \"a5\"], \"2\": [\"a2\", \"a3\", \"a4\"],"
    "\"3\": [\"a6\", \"b\", \"c\", \"d1\", \"d2\", \"a5\", \"b\"]},"
    "\"frameTable\": {\"a1\": \"#00: ?\?\?[/l/a.so +0x10]\", \"a2\": \"#00: ?\?\?[/l/a.so +0x18]\","
    "\"a3\": \"#00: ?\?\?[/l/a.so +0x20]\", \"a4\": \"#00: ?\?\?[/l/a.so +0x30]\","
    "\"a5\": \"#00: ?\?\?[/l/a.so +0x40]\", \"a6\": \"#00: ?\?\?[/l/a.so +0x50]\","
    "\"b\": \"#00: ?\?\?[/l/a.so +0x10]\", \"c\": \"#00: known[/l/a.so +0x20]\","
    "\"d1\": \"#00: ?\?\?[/l/a.so +0x10]\", \"d2\": \"#00: ?\?\? (?\?\?:?\?\?)\"}}";

/* The rest of a text, in one call. */
static bool next(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  const char **text = ctx;
  (void)fail;
  *bytes = *text;
  *n = strlen(*text);
  *text += *n;
  return true;
}

static double to_double(const char *text) {
  return strtod(text, NULL);
}

static bool load(const dmd_env_t *env, dmd_profile_t *profile, const char *text,
                 const dmd_namer_t *namer, dmd_fail_t *fail) {
  const dmd_load_options_t options = {.namer = namer};
  const dmd_source_t source = {.next = next, .ctx = &text, .number = to_double};
  *fail = (dmd_fail_t){.line = 0};
  dmd_profile_init(profile, env);
  return dmd_load_profile(profile, &source, &options, fail);
}

/* The frames of a group's stack, with | in between. */
static void assert_stack(const dmd_profile_t *profile, uint32_t group, const char *expected) {
  char text[1024] = "";
  size_t n;
  const uint32_t *frames =
      dmd_profile_frames(profile, dmd_groups_at(&profile->groups, group)->stack, &n);
  for (size_t i = 0; i < n; i++) {
    strcat(text, i > 0 ? "|" : "");
    strcat(text, dmd_frames_text(&profile->frames, frames[i]));
  }
  assert_string_equal(text, expected);
}

static void frames_get_names(void **state) {
  (void)state;
  asked_t asked = {0};
  dmd_namer_t namer = {.ctx = &asked, .functions = functions};
  dmd_profile_t profile;
  dmd_fail_t fail;
  assert_true(load(&dmdv_env, &profile, document, &namer, &fail));
  assert_stack(&profile, 1, "inner (a.h:3)|outer (a.c:7)|bare[/l/a.so +0x20]|main (a.c:9)");
  /* Two calls on one line are one frame, and so the stacks are one. */
  assert_int_equal(dmd_groups_at(&profile.groups, 1)->stack,
                   dmd_groups_at(&profile.groups, 2)->stack);
  assert_stack(&profile, 3,
               "?\?\?[/l/a.so +0x50]|?\?\?[/l/a.so +0x10]|known[/l/a.so +0x20]|"
               "?\?\?[/l/a.so +0x10]|?\?\? (?\?\?:?\?\?)|(below main) (s.c:1)");
  assert_int_equal(asked.n_asked, 7); /* once for each frame that has a build id and no name */
  dmd_profile_destroy(&profile);
}

/* Frames that no stack contains any more are dropped from the profile; frames of a stack without
 * main stay. */
static void frames_below_main_are_left_out(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"\"a4\", \"a5\"", "main (a.c:9)"},
      {"\"a3\", \"a5\"", "bare[/l/a.so +0x20]|(below main) (s.c:1)"}};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    char text[1024];
    asked_t asked = {0};
    dmd_namer_t namer = {.ctx = &asked, .functions = functions};
    dmd_profile_t profile;
    dmd_fail_t fail;
    const char *dmd = strstr(document, "\"dmd\""), *blocks = strstr(document, "\"blockList\""),
               *table = strstr(document, "\"frameTable\"");
    snprintf(text, sizeof text,
             "%.*s%.*s\"blockList\": [{\"req\": 1, \"alloc\": \"1\"}], "
             "\"traceTable\": {\"1\": [%s]}, %s",
             (int)(dmd - document), document, (int)(blocks - dmd), dmd, texts[i][0], table);
    assert_true(load(&dmdv_env, &profile, text, &namer, &fail));
    assert_stack(&profile, 1, texts[i][1]);
    assert_int_equal(dmd_frames_count(&profile.frames), i + 1);
    dmd_profile_destroy(&profile);
  }
}

static const char traces[] =
    "\"traceTable\": {\"1\": [\"a1\", \"a4\"], \"2\": [\"a2\", \"a4\"], \"3\": [\"a3\", \"a4\"]}, ";

/* The document with other blocks and traces, with names. */
static void load_others(dmd_profile_t *profile, const char *blocks) {
  char text[2048];
  asked_t asked = {0};
  dmd_namer_t namer = {.ctx = &asked, .functions = functions};
  dmd_fail_t fail;
  snprintf(text, sizeof text, "%.*s\"blockList\": [%s], %s%s",
           (int)(strstr(document, "\"blockList\"") - document), document, blocks, traces,
           strstr(document, "\"frameTable\""));
  assert_true(load(&dmdv_env, profile, text, &namer, &fail));
}

/* Blocks, reports and sharers that differ only in their place on a line are one. */
static void what_becomes_equal_is_one(void **state) {
  (void)state;
  dmd_profile_t profile;
  load_others(&profile,
              "{\"req\": 1, \"alloc\": \"1\"}, {\"req\": 1, \"alloc\": \"2\", \"num\": 4},"
              "{\"req\": 2, \"alloc\": \"1\", \"reps\": [\"1\"]}, {\"req\": 2, \"alloc\": "
              "\"1\", \"reps\": [\"2\"]}, {\"req\": 3, \"alloc\": \"1\", \"reps\": [\"1\"], "
              "\"sharers\": [{\"at\": \"1\"}, {\"at\": \"2\"}, {\"at\": \"3\"}]}");
  assert_int_equal(dmd_groups_count(&profile.groups), 3);
  assert_int_equal(dmd_groups_at(&profile.groups, 1)->num, 5);
  assert_int_equal(dmd_groups_at(&profile.groups, 2)->num, 2);
  assert_int_equal(dmd_reports_n_kept(&profile.reports, dmd_groups_at(&profile.groups, 3)->reports),
                   2);
  dmd_profile_destroy(&profile);
}

/* Those of a scan have addresses. */
static void scanned_blocks_stay_apart(void **state) {
  (void)state;
  dmd_profile_t profile;
  load_others(&profile, "{\"addr\": \"1000\", \"req\": 1, \"alloc\": \"1\"}, "
                        "{\"addr\": \"2000\", \"req\": 1, \"alloc\": \"2\"}");
  assert_int_equal(dmd_groups_count(&profile.groups), 2);
  dmd_profile_destroy(&profile);
}

static void what_is_below_main_may_be_wanted(void **state) {
  (void)state;
  asked_t asked = {0};
  dmd_namer_t namer = {.ctx = &asked, .shows_below_main = true, .functions = functions};
  dmd_profile_t profile;
  dmd_fail_t fail;
  assert_true(load(&dmdv_env, &profile, document, &namer, &fail));
  assert_stack(&profile, 1,
               "inner (a.h:3)|outer (a.c:7)|bare[/l/a.so +0x20]|main (a.c:9)|(below main) (s.c:1)");
  dmd_profile_destroy(&profile);
}

static void without_a_namer_all_stays(void **state) {
  (void)state;
  dmd_profile_t profile;
  dmd_fail_t fail;
  assert_true(load(&dmdv_env, &profile, document, NULL, &fail));
  assert_stack(&profile, 1,
               "?\?\?[/l/a.so +0x10]|?\?\?[/l/a.so +0x20]|?\?\?[/l/a.so +0x30]|"
               "?\?\?[/l/a.so +0x40]");
  dmd_profile_destroy(&profile);
}

/* Objects survive writing and reading: a path may be there twice. */
static void build_ids_stay(void **state) {
  (void)state;
  static const char *const expected[] = {"0a1b", "ffff", NULL};
  dmd_profile_t profile;
  dmd_fail_t fail;
  assert_true(load(&dmdv_env, &profile, document, NULL, &fail));
  profile.run.is_known = true;
  sink_t sink;
  sink_init(&sink);
  dmd_profilewriter_write(&sink.out, &profile);
  dmd_profile_destroy(&profile);
  assert_true(load(&dmdv_env, &profile, sink_text(&sink), NULL, &fail));
  assert_int_equal(dmd_intern_count(&profile.frames.objects), COUNT_OF(expected));
  for (uint32_t id = 1; id <= COUNT_OF(expected); id++) {
    const char *build_id = dmd_frames_build_id(&profile.frames, id);
    assert_string_equal(dmd_frames_object(&profile.frames, id), "/l/a.so");
    assert_int_equal(build_id == NULL, expected[id - 1] == NULL);
    if (build_id != NULL)
      assert_string_equal(build_id, expected[id - 1]);
  }
  sink_free(&sink);
  dmd_profile_destroy(&profile);
}

static void a_build_id_is_digits(void **state) {
  (void)state;
  char longest[DMD_MAX_BUILD_ID_TEXT + 3] = "";
  for (size_t i = 0; i < DMD_MAX_BUILD_ID_TEXT; i++)
    strcat(longest, "a");
  assert_true(dmd_is_build_id(longest));
  strcat(longest, "aa");
  assert_false(dmd_is_build_id(longest));
  assert_true(dmd_is_build_id(""));
  assert_false(dmd_is_build_id("abc"));
  assert_false(dmd_is_build_id("AB"));
  assert_false(dmd_is_build_id("0x"));
  dmd_profile_t profile;
  dmd_fail_t fail;
  assert_false(load(&dmdv_env, &profile,
                    "{\"version\": 5, \"dmd\": {\"objects\": [{\"buildId\": \"0g\"}]}}", NULL,
                    &fail));
  assert_non_null(strstr(fail.reason, "\"buildId\" is not the hexadecimal digits"));
  dmd_profile_destroy(&profile);
}

static void its_bytes(void **state) {
  (void)state;
  static const uint8_t expected[] = {0x00, 0x0a, 0xf0, 0xff};
  uint8_t bytes[DMD_MAX_BUILD_ID_TEXT / 2];
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  assert_int_equal(dmd_build_id_bytes(bytes, "000af0ff"), sizeof expected);
  assert_memory_equal(bytes, expected, sizeof expected);
  dmd_build_id_text(&text, bytes, sizeof expected);
  assert_string_equal(text.text, "000af0ff");
  dmd_strbuf_destroy(&text);
}

static void use(host_t *host, void *arg) {
  asked_t asked = {0};
  dmd_namer_t namer = {.ctx = &asked, .functions = functions};
  dmd_profile_t profile;
  dmd_fail_t fail;
  (void)arg;
  load(&host->env, &profile, document, &namer, &fail);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_below_main_is_not_shown),
      cmocka_unit_test(frames_get_names),
      cmocka_unit_test(frames_below_main_are_left_out),
      cmocka_unit_test(what_becomes_equal_is_one),
      cmocka_unit_test(scanned_blocks_stay_apart),
      cmocka_unit_test(what_is_below_main_may_be_wanted),
      cmocka_unit_test(without_a_namer_all_stays),
      cmocka_unit_test(build_ids_stay),
      cmocka_unit_test(a_build_id_is_digits),
      cmocka_unit_test(its_bytes),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
