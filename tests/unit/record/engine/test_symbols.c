/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"
#include "record/engine/symbols.h"

#include <stdio.h>

typedef struct {
  enginehost_t h;
  dmd_profile_t profile;
  dmd_symbols_t symbols;
} fixture_t;

static void begin(fixture_t *f) {
  enginehost_init(&f->h);
  dmd_profile_init(&f->profile, &f->h.host.env);
  dmd_symbols_init(&f->symbols, &f->h.engine_host, &f->profile);
}

static void end(fixture_t *f) {
  dmd_symbols_destroy(&f->symbols);
  dmd_profile_destroy(&f->profile);
  enginehost_done(&f->h);
}

/* The frames of a stack, with | in between. */
static void assert_frames(fixture_t *f, uint32_t stack, const char *expected) {
  size_t n;
  uint32_t id = dmd_symbols_resolve(&f->symbols, &f->profile, stack);
  const uint32_t *frames = dmd_profile_frames(&f->profile, id, &n);
  char text[1024] = "";
  for (size_t i = 0; i < n; i++) {
    strcat(text, i > 0 ? "|" : "");
    strcat(text, dmd_frames_text(&f->profile.frames, frames[i]));
  }
  assert_string_equal(text, expected);
}

static void a_frame_has_what_is_known(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  enginehost_code(&f.h, 0x10, "/bin/app", "", "inner (a.h:7)|outer (b.c:3)");
  enginehost_code(&f.h, 0x123, "/lib/x.so", "", "fn");
  enginehost_code(&f.h, 0x456, "/lib/x.so", "", "");
  enginehost_code(&f.h, 0x50, NULL, "", "");
  enginehost_code(&f.h, 0x60, NULL, "", "made_at_run_time");
  uint32_t stack = enginehost_stack(&f.h, 5, UINT64_C(0x10), UINT64_C(0x123), UINT64_C(0x456),
                                    UINT64_C(0x50), UINT64_C(0x60));
  assert_frames(&f, stack,
                "inner (a.h:7)|outer (b.c:3)|fn[/lib/x.so +0x123]|\?\?\?[/lib/x.so +0x456]|"
                "\?\?\? (\?\?\?:\?\?\?)|\?\?\? (\?\?\?:\?\?\?)");
  end(&f);
}

/* The source is known here, too; an inlined call has no place of its own. */
static void a_frame_has_its_object(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  enginehost_code(&f.h, 0x10, "/bin/app", "", "inner (a.h:7)|outer (b.c:3)");
  enginehost_code(&f.h, 0x20, "/lib/x.so", "", "inner (a.h:7)");
  enginehost_code(&f.h, 0x50, NULL, "", "nowhere (c.c:1)");
  f.h.build_id = "0a1b";
  uint32_t stack = enginehost_stack(&f.h, 3, UINT64_C(0x10), UINT64_C(0x20), UINT64_C(0x50));
  static const struct {
    const char *object;
    uint64_t offset;
  } expected[] = {{"/bin/app", DMD_OFFSET_UNKNOWN},
                  {"/bin/app", 0x10},
                  {"/lib/x.so", 0x20},
                  {NULL, DMD_OFFSET_UNKNOWN}};
  size_t n;
  const uint32_t *frames =
      dmd_profile_frames(&f.profile, dmd_symbols_resolve(&f.symbols, &f.profile, stack), &n);
  assert_int_equal(n, COUNT_OF(expected));
  for (size_t i = 0; i < n; i++) {
    dmd_location_t location = dmd_frames_location(&f.profile.frames, frames[i]);
    assert_int_equal(location.object == NULL, expected[i].object == NULL);
    if (location.object != NULL)
      assert_string_equal(location.object, expected[i].object);
    if (location.object != NULL)
      assert_string_equal(location.build_id, "0a1b");
    assert_int_equal(location.offset, expected[i].offset);
  }
  end(&f);
}

static void an_address_is_looked_up_once(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  enginehost_code_t *shared = enginehost_code(&f.h, 0x10, "/bin/app", "", "shared (a.c:1)");
  enginehost_code(&f.h, 0x20, "/bin/app", "", "one (a.c:2)");
  enginehost_code(&f.h, 0x30, "/bin/app", "", "two (a.c:3)");
  assert_frames(&f, enginehost_stack(&f.h, 2, UINT64_C(0x10), UINT64_C(0x20)),
                "shared (a.c:1)|one (a.c:2)");
  assert_frames(&f, enginehost_stack(&f.h, 2, UINT64_C(0x10), UINT64_C(0x30)),
                "shared (a.c:1)|two (a.c:3)");
  assert_frames(&f, enginehost_stack(&f.h, 2, UINT64_C(0x10), UINT64_C(0x10)),
                "shared (a.c:1)|shared (a.c:1)");
  assert_int_equal(shared->n_asked, 1);
  end(&f);
}

/* An address in another epoch is different code. */
static void epochs_differ(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  enginehost_code_t *code = enginehost_code(&f.h, 0x10, "/lib/a.so", "", "first (a.c:1)");
  uint32_t before = enginehost_stack(&f.h, 1, UINT64_C(0x10));
  uint32_t after = enginehost_stack(&f.h, 1, UINT64_C(0x10));
  f.h.stacks[before - 1].codes[0].epoch = 1;
  f.h.stacks[after - 1].codes[0].epoch = 2;
  assert_frames(&f, before, "first (a.c:1)");
  code->functions = "second (b.c:1)";
  assert_frames(&f, after, "second (b.c:1)");
  assert_frames(&f, before, "first (a.c:1)");
  end(&f);
}

static void what_is_below_main_is_left_out(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  enginehost_code(&f.h, 0x10, "/bin/app", "", "work (a.c:1)");
  enginehost_code(&f.h, 0x20, "/bin/app", "", "main (a.c:2)")->kind = DMD_CODE_MAIN;
  enginehost_code_t *below = enginehost_code(&f.h, 0x30, "/lib/libc.so", "", "start");
  below->kind = DMD_CODE_BELOW_MAIN;
  enginehost_code(&f.h, 0x40, "/lib/libc.so", "", "start_2")->kind = DMD_CODE_BELOW_MAIN;
  uint32_t common =
      enginehost_stack(&f.h, 4, UINT64_C(0x10), UINT64_C(0x20), UINT64_C(0x30), UINT64_C(0x40));
  uint32_t without_main = enginehost_stack(&f.h, 3, UINT64_C(0x10), UINT64_C(0x30), UINT64_C(0x40));
  uint32_t thread = enginehost_stack(&f.h, 1, UINT64_C(0x10));
  assert_frames(&f, common, "work (a.c:1)|main (a.c:2)");
  assert_int_equal(below->n_asked, 0); /* nor is it looked up */
  assert_frames(&f, without_main, "work (a.c:1)|start[/lib/libc.so +0x30]");
  assert_frames(&f, thread, "work (a.c:1)");
  /* A program that calls it again: the outermost main counts. */
  uint32_t again =
      enginehost_stack(&f.h, 4, UINT64_C(0x10), UINT64_C(0x40), UINT64_C(0x20), UINT64_C(0x30));
  assert_frames(&f, again, "work (a.c:1)|start_2[/lib/libc.so +0x40]|main (a.c:2)");
  f.h.below_main = true;
  assert_frames(&f, common,
                "work (a.c:1)|main (a.c:2)|start[/lib/libc.so +0x30]|start_2[/lib/libc.so +0x40]");
  end(&f);
}

/* More frames than there is room for at first, as inlined calls make them. */
static void deep_inlining(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  char functions[4096] = "f";
  for (int i = 0; i < 30; i++)
    strcat(functions, "|f");
  for (uint64_t ip = 0x10; ip <= 0x80; ip += 0x10)
    enginehost_code(&f.h, ip, "/bin/app", "", functions);
  uint32_t stack =
      enginehost_stack(&f.h, 8, UINT64_C(0x10), UINT64_C(0x20), UINT64_C(0x30), UINT64_C(0x40),
                       UINT64_C(0x50), UINT64_C(0x60), UINT64_C(0x70), UINT64_C(0x80));
  size_t n;
  uint32_t id = dmd_symbols_resolve(&f.symbols, &f.profile, stack);
  const uint32_t *frames = dmd_profile_frames(&f.profile, id, &n);
  assert_int_equal(n, 8 * 31);
  for (size_t i = 0; i < n; i++) {
    char expected[64];
    sprintf(expected, "f[/bin/app +0x%zx0]", i / 31 + 1);
    assert_string_equal(dmd_frames_text(&f.profile.frames, frames[i]), expected);
  }
  end(&f);
}

static void use(host_t *host, void *arg) {
  enginehost_t *h = arg;
  dmd_profile_t profile;
  dmd_symbols_t symbols;
  dmd_profile_init(&profile, &host->env);
  dmd_symbols_init(&symbols, &h->engine_host, &profile);
  dmd_symbols_resolve(&symbols, &profile, 1);
  dmd_symbols_destroy(&symbols);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  enginehost_t h;
  enginehost_init(&h);
  enginehost_code(&h, 0x10, "/bin/app", "", "work (a.c:1)|more (a.c:2)");
  enginehost_stack(&h, 1, UINT64_C(0x10));
  assert_true(host_fail_everywhere(use, &h) > 5);
  enginehost_done(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frame_has_what_is_known),
      cmocka_unit_test(a_frame_has_its_object),
      cmocka_unit_test(an_address_is_looked_up_once),
      cmocka_unit_test(epochs_differ),
      cmocka_unit_test(what_is_below_main_is_left_out),
      cmocka_unit_test(deep_inlining),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
