/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ids of one owner are translated to those of a profile: they stand for the same things, and
 * nothing else is copied. */
#include "fixture.h"

#include "model/profile/translate.h"

#include <stdio.h>

/* Into a profile with content of its own, from an owner that grows between the translations. */
static void everything_reads_as_before(void **state) {
  (void)state;
  dice_t dice = {3};
  size_t n_groups = 0;
  for (int round = 0; round < 50; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    dmd_profile_t *to = &f.profile, *from = &f.other;
    build_tagged(to, 1, 2, 3, "b|a", build_reports(to, 1, "x y", "b", NULL, NULL), "x y");
    sink_t before, after;
    sink_init(&before);
    sink_init(&after);
    dmd_translation_t t;
    dmd_translation_init_profile(&t, to, from, NULL, NULL);
    for (int growth = 0; growth < 3; growth++) {
      fill_at_random(from, &dice);
      for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++, n_groups++) {
        spell_group(&before.out, from, dmd_groups_at(&from->groups, id));
        dmd_group_t group = dmd_translation_group(&t, dmd_groups_at(&from->groups, id));
        spell_group(&after.out, to, &group);
      }
    }
    assert_text_equal(sink_text(&after), sink_text(&before));
    sink_free(&after);
    sink_free(&before);
    dmd_translation_destroy(&t);
    fixture_end(&f);
  }
  assert_true(n_groups > 3000);
}

static void none_stays_none(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile, *from = &f.other;
  dmd_translation_t t;
  dmd_translation_init_profile(&t, to, from, NULL, NULL);
  dmd_group_t group = {.req = 7, .num = 1};
  group = dmd_translation_group(&t, &group);
  assert_int_equal(group.stack, DMD_NONE);
  assert_int_equal(group.reports, DMD_NONE);
  assert_int_equal(group.tag, DMD_NONE);
  assert_int_equal(dmd_translation_name(&t, DMD_NONE), DMD_NONE);
  assert_int_equal(dmd_intern_count(&to->stacks) + dmd_intern_count(&to->names), 0);
  dmd_translation_destroy(&t);
  fixture_end(&f);
}

/* Each profile has as many tags as allowed; together they exceed a block's 16 bits. */
static void more_tags_than_there_are_numbers(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile, *from = &f.other;
  char name[32];
  for (unsigned i = 1; i <= DMD_MAX_TAGS; i++) {
    snprintf(name, sizeof name, "old %u", i);
    dmd_tag_intern(&to->tags, name);
  }
  dmd_group_t groups[] = {{.req = 1, .num = 1}, {.req = 2, .num = 1}, {.req = 3, .num = 1}};
  groups[0].tag = (uint16_t)dmd_tag_intern(&from->tags, "new 1");
  groups[1].tag = (uint16_t)dmd_tag_intern(&from->tags, "new 2");
  groups[2].tag = (uint16_t)dmd_tag_intern(&from->tags, "old 65000");
  dmd_translation_t t;
  dmd_translation_init_profile(&t, to, from, NULL, NULL);
  static const char *const expected[] = {"(other tags)", "(other tags)", "old 65000"};
  for (size_t i = 0; i < COUNT_OF(groups); i++) {
    dmd_group_t group = dmd_translation_group(&t, &groups[i]);
    assert_string_equal(dmd_intern_get_str(&to->tags, group.tag), expected[i]);
  }
  dmd_translation_destroy(&t);
  fixture_end(&f);
}

static void what_nobody_asks_for_stays_behind(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile, *from = &f.other;
  build_tagged(from, 1, 1, 0, "left|behind", build_reports(from, 1, "left", "behind", NULL, NULL),
               "left");
  uint32_t wanted = build_stack(from, "wanted|frame");
  dmd_translation_t t;
  dmd_translation_init_profile(&t, to, from, NULL, NULL);
  uint32_t id = dmd_translation_stack(&t, wanted);
  assert_int_equal(id, build_stack(to, "wanted|frame"));
  assert_int_equal(dmd_intern_count(&to->stacks), 1);
  assert_int_equal(dmd_frames_count(&to->frames), 2);
  assert_int_equal(dmd_intern_count(&to->tags) + dmd_intern_count(&to->names), 0);
  assert_int_equal(dmd_reports_count(&to->reports), 0);
  dmd_translation_destroy(&t);
  fixture_end(&f);
}

/* ---- Hooks. ---- */

typedef struct {
  dmd_profile_t *to;
  int n_calls;
} counted_t;

static uint32_t add_one_frame(void *ctx, uint32_t id) {
  counted_t *counted = ctx;
  counted->n_calls++;
  return build_stack(counted->to, id % 2 == 0 ? "even" : "odd");
}

static void the_hosts_stacks_are_resolved_once(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile;
  dmd_intern_t names, tags;
  dmd_reports_t reports;
  dmd_intern_init(&names, &f.host.env, "test");
  dmd_intern_init(&tags, &f.host.env, "test");
  dmd_reports_init(&reports, &f.host.env);
  counted_t counted = {to, 0};
  dmd_translation_t t;
  dmd_translation_init(&t, to, &names, &tags, &reports, add_one_frame, &counted);
  static const uint32_t asked[] = {4000, 7, 4000, 7, 12, 12, 4001};
  for (size_t i = 0; i < COUNT_OF(asked); i++) {
    const char *expected = asked[i] % 2 == 0 ? "even" : "odd";
    assert_int_equal(dmd_translation_stack(&t, asked[i]), build_stack(to, expected));
  }
  assert_int_equal(counted.n_calls, 4);
  /* A report set translates its stacks; reports that survive a clear do not belong to the
   * profile. */
  dmd_report_set_t set = {.count = 1, .report = {{.stack = 9, .flags = DMD_REPORT_ON_ALLOC}}};
  uint32_t id = dmd_translation_reports(&t, dmd_reports_intern(&reports, &set));
  assert_int_equal(dmd_reports_at(&to->reports, id)->report[0].stack, build_stack(to, "odd"));
  assert_int_equal(dmd_reports_at(&to->reports, id)->report[0].flags, 0);
  assert_int_equal(counted.n_calls, 5);
  dmd_translation_destroy(&t);
  dmd_reports_destroy(&reports);
  dmd_intern_destroy(&tags);
  dmd_intern_destroy(&names);
  fixture_end(&f);
}

/* A set equals one made by reports at stacks with equal text. */
static void sharers_that_become_alike_are_one(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile;
  dmd_intern_t names, tags;
  dmd_reports_t reports;
  dmd_intern_init(&names, &f.host.env, "test");
  dmd_intern_init(&tags, &f.host.env, "test");
  dmd_reports_init(&reports, &f.host.env);
  counted_t counted = {to, 0};
  dmd_translation_t t;
  dmd_translation_init(&t, to, &names, &tags, &reports, add_one_frame, &counted);
  static const char *const few_names[] = {"", "a", "a/b", "b", "explicit/c", "x y", "\xc3\xa9"};
  dice_t dice = {29};
  for (int round = 0; round < 300; round++) {
    uint32_t from = DMD_NONE, expected = DMD_NONE;
    bool is_plain = round % 3 == 0;
    for (uint64_t n = 1 + dice_below(&dice, is_plain ? 4 : 60); n > 0; n--) {
      const char *name = few_names[dice_below(&dice, COUNT_OF(few_names))];
      dmd_report_t report = {.stack = 1 + (uint32_t)dice_below(&dice, 8),
                             .reporter = dmd_intern_str(&names, name),
                             .flags = is_plain ? 0 : DMD_REPORT_SHARED};
      from = dmd_reports_add(&reports, from, report);
      report.stack = build_stack(to, report.stack % 2 == 0 ? "even" : "odd");
      report.reporter = dmd_intern_str(&to->names, name);
      expected = dmd_reports_add(&to->reports, expected, report);
    }
    assert_int_equal(dmd_translation_reports(&t, from), expected);
  }
  dmd_translation_destroy(&t);
  dmd_reports_destroy(&reports);
  dmd_intern_destroy(&tags);
  dmd_intern_destroy(&names);
  fixture_end(&f);
}

static uint32_t add_plain_frame(void *ctx, uint32_t id) {
  counted_t *counted = ctx;
  counted->n_calls++;
  return dmd_frames_read_text(&counted->to->frames, id == 2 ? "second" : "another");
}

static void other_frames_for_those_of_a_profile(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile, *from = &f.other;
  uint32_t stack = build_stack(from, "a|b|c|b"), other = build_stack(from, "c|c|a|b");
  counted_t counted = {to, 0};
  dmd_translation_t t;
  dmd_translation_init_profile(&t, to, from, add_plain_frame, &counted);
  assert_int_equal(dmd_translation_stack(&t, stack),
                   build_stack(to, "another|second|another|second"));
  assert_int_equal(dmd_translation_stack(&t, other),
                   build_stack(to, "another|another|another|second"));
  assert_int_equal(counted.n_calls, 3);
  dmd_translation_destroy(&t);
  fixture_end(&f);
}

/* ---- Collections. ---- */

/* Equal faults and hints, under ids that differ, are added to those in the profile. */
static void collections_are_added_up(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_profile_t profile[2];
  for (int i = 0; i < 2; i++) {
    dmd_profile_t *p = &profile[i];
    dmd_profile_init(p, &host.env);
    if (i == 1)
      build_stack(p, "first|here");
    dmd_fault_t fault = {.num = 2,
                         .kind = DMD_FAULT_REPORT_FREED,
                         .stack = build_stack(p, "report"),
                         .freed = build_stack(p, "free"),
                         .reporter = build_name(p, "r"),
                         .scope = build_name(p, i == 0 ? NULL : "s")};
    dmd_faults_add(&p->faults, &fault);
    fault.scope = DMD_NONE;
    dmd_faults_add(&p->faults, &fault);
    dmd_hint_t hint = {.blocks = 1,
                       .bytes = 10,
                       .alloc = build_stack(p, "alloc"),
                       .stack = build_stack(p, "report"),
                       .reporter = build_name(p, "r"),
                       .offset = 8};
    dmd_hints_add(&p->hints, &hint);
    dmd_memreport_t value = {
        .path = "explicit/a", .amount = 5, .times = 1, .stack = build_stack(p, "report")};
    assert_true(dmd_memreports_add(&p->memreports, &value));
  }
  dmd_translation_t t;
  dmd_translation_init_profile(&t, &profile[0], &profile[1], NULL, NULL);
  dmd_translation_add_faults(&t, &profile[1].faults);
  dmd_translation_add_hints(&t, &profile[1].hints);
  assert_true(dmd_translation_add_memreports(&t, &profile[1].memreports));
  assert_int_equal(dmd_faults_count(&profile[0].faults), 2);
  assert_int_equal(dmd_faults_at(&profile[0].faults, 1)->num, 6);
  const dmd_fault_t *fault = dmd_faults_at(&profile[0].faults, 2);
  assert_int_equal(fault->num, 2);
  assert_string_equal(dmd_intern_get_str(&profile[0].names, fault->scope), "s");
  assert_int_equal(fault->freed, build_stack(&profile[0], "free"));
  assert_int_equal(dmd_hints_count(&profile[0].hints), 1);
  assert_int_equal(dmd_hints_at(&profile[0].hints, 1)->bytes, 20);
  assert_int_equal(dmd_memreports_count(&profile[0].memreports), 1);
  assert_int_equal(dmd_memreports_get(&profile[0].memreports, 1).amount, 10);
  dmd_translation_destroy(&t);
  dmd_profile_destroy(&profile[1]);
  dmd_profile_destroy(&profile[0]);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dice_t dice = {5};
  dmd_profile_t from, to;
  dmd_profile_init(&from, &host->env);
  dmd_profile_init(&to, &host->env);
  fill_at_random(&from, &dice);
  dmd_translation_t t;
  dmd_translation_init_profile(&t, &to, &from, NULL, NULL);
  for (uint32_t id = 1; id <= dmd_groups_count(&from.groups); id++) {
    dmd_group_t group = dmd_translation_group(&t, dmd_groups_at(&from.groups, id));
    dmd_groups_add(&to.groups, &group);
  }
  dmd_translation_destroy(&t);
  dmd_profile_destroy(&to);
  dmd_profile_destroy(&from);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_reads_as_before),
      cmocka_unit_test(none_stays_none),
      cmocka_unit_test(more_tags_than_there_are_numbers),
      cmocka_unit_test(what_nobody_asks_for_stays_behind),
      cmocka_unit_test(the_hosts_stacks_are_resolved_once),
      cmocka_unit_test(sharers_that_become_alike_are_one),
      cmocka_unit_test(other_frames_for_those_of_a_profile),
      cmocka_unit_test(collections_are_added_up),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
