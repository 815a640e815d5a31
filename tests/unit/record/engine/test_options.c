/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"
#include "record/engine/options.h"

#include <stdio.h>

typedef struct {
  host_t host;
  dmd_options_t options;
  dmd_strbuf_t why;
} fixture_t;

static void begin(fixture_t *f) {
  host_init(&f->host);
  dmd_options_init(&f->options, &f->host.env);
  dmd_strbuf_init(&f->why, &f->host.env);
}

static void end(fixture_t *f) {
  dmd_strbuf_destroy(&f->why);
  dmd_options_destroy(&f->options);
  host_done(&f->host);
}

static bool give(fixture_t *f, const char *argument) {
  const dmd_option_t *option = dmd_option_of(&dmd_engine_options, argument);
  assert_non_null(option);
  dmd_strbuf_cut(&f->why, 0);
  return dmd_option_set(option, &f->options, argument, &f->why);
}

/* Defaults as in docs/reference/engine.md. */
static void defaults(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  const dmd_options_t *o = &f.options;
  assert_int_equal(o->rules.last, 0);
  assert_false(o->report_usable_size);
  assert_int_equal(o->sort_by, DMD_SORT_USABLE);
  assert_int_equal(o->max_records, 10);
  assert_int_equal(o->max_frames, 8);
  assert_int_equal(o->dump_at_exit, DMD_AUTO);
  assert_int_equal(o->hint, DMD_AUTO);
  assert_string_equal(o->out_file, "dmd.out.%p.json.gz");
  assert_string_equal(o->given.text, "");
  dmd_live_config_t live = dmd_options_live(o);
  assert_int_equal(live.mode, DMD_MODE_DARK_MATTER);
  assert_int_equal(live.allocator, DMD_ALLOCATOR_GLIBC);
  assert_true(live.allocator_is_auto);
  assert_false(live.partial_stacks);
  assert_true(live.inherit_tags);
  assert_int_equal(live.sample_below, 0);
  assert_int_equal(live.seed, 1);
  assert_int_equal(live.freed_blocks, 10000);
  assert_false(live.require_scope);
  end(&f);
}

static void a_scan_has_every_block(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  assert_true(give(&f, "--mode=scan"));
  assert_null(dmd_options_conflict(&f.options).why);
  assert_true(give(&f, "--sample-below=8"));
  assert_non_null(dmd_options_conflict(&f.options).why);
  assert_true(give(&f, "--mode=live"));
  assert_null(dmd_options_conflict(&f.options).why);
  end(&f);
}

static void intervals_are_sizes(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "x", "-1", "10%", "+5", "1.1GB", "2G", "512kk"};
  static const struct {
    const char *text;
    uint64_t szB;
  } right[] = {{"0", 0},          {"1", 1},       {"512k", 512 << 10}, {"512KiB", 512 << 10},
               {"1.5M", 3 << 19}, {"1G", 1 << 30}};
  fixture_t f;
  begin(&f);
  char argument[64];
  assert_int_equal(dmd_options_live(&f.options).sample_interval, 0);
  for (size_t i = 0; i < COUNT_OF(right); i++) {
    snprintf(argument, sizeof argument, "--sample-interval=%s", right[i].text);
    assert_true(give(&f, argument));
    assert_int_equal(dmd_options_live(&f.options).sample_interval, right[i].szB);
  }
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    snprintf(argument, sizeof argument, "--sample-interval=%s", wrong[i]);
    assert_false(give(&f, argument));
    assert_int_equal(f.options.sample_interval, 1 << 30);
  }
  end(&f);
}

static void a_limit_for_dumps_is_a_size_or_a_share(void **state) {
  (void)state;
  static const struct {
    const char *argument;
    uint64_t szB, share;
  } right[] = {{"--dump-above=5m", 5 << 20, 0},
               {"--dump-above=80%", 0, 80000000},
               {"--dump-above=0.5%", 0, 500000},
               {"--dump-above=100%", 0, 100000000},
               {"--dump-above=1", 1, 0}};
  static const char *const wrong[] = {"", "0", "0%", "101%", "+5%", "%", "5x", "+5m"};
  fixture_t f;
  begin(&f);
  char argument[64];
  for (size_t i = 0; i < COUNT_OF(right); i++) {
    assert_true(give(&f, right[i].argument));
    assert_int_equal(f.options.dump_above_szB, right[i].szB);
    assert_int_equal(f.options.dump_above_share, right[i].share);
  }
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    snprintf(argument, sizeof argument, "--dump-above=%s", wrong[i]);
    assert_false(give(&f, argument));
  }
  end(&f);
}

/* Each works, once the other one is gone. */
static void what_needs_all_blocks_does_not_go_with_an_interval(void **state) {
  (void)state;
  static const struct {
    const char *option, *named, *without;
  } cases[] = {{"--mode=scan", "--mode=scan", "--mode=cumulative"},
               {"--sample-below=8", "--sample-below", "--sample-below=0"},
               {"--stacks=partial", "--stacks=partial", "--stacks=fp"},
               {"--graph=yes", "--graph=yes", "--graph=no"},
               {"--advice=yes", "--advice=yes", "--advice=auto"}};
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_true(give(&f, "--sample-interval=1M"));
    assert_true(give(&f, cases[i].option));
    assert_string_equal(dmd_options_conflict(&f.options).option, cases[i].named);
    assert_true(give(&f, "--sample-interval=0"));
    assert_null(dmd_options_conflict(&f.options).why);
    assert_true(give(&f, "--sample-interval=1M"));
    assert_true(give(&f, cases[i].without));
    assert_null(dmd_options_conflict(&f.options).why);
  }
  end(&f);
}

static void words_are_in_the_order_of_their_enums(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  for (dmd_mode_t mode = DMD_MODE_DARK_MATTER; mode <= DMD_MODE_SCAN; mode++) {
    char argument[64] = "--mode=";
    assert_true(give(&f, strcat(argument, dmd_mode_name(mode))));
    assert_int_equal(dmd_options_live(&f.options).mode, mode);
  }
  for (dmd_allocator_t allocator = 0; allocator < DMD_N_ALLOCATORS; allocator++) {
    char argument[64] = "--allocator=";
    assert_true(give(&f, strcat(argument, dmd_allocator_name(allocator))));
    dmd_live_config_t live = dmd_options_live(&f.options);
    assert_int_equal(live.allocator, allocator);
    assert_false(live.allocator_is_auto);
  }
  static const struct {
    const char *argument;
    dmd_sort_by_t sort_by;
  } sorts[] = {{"--sort-by=usable", DMD_SORT_USABLE},
               {"--sort-by=req", DMD_SORT_REQ},
               {"--sort-by=slop", DMD_SORT_SLOP},
               {"--sort-by=num-blocks", DMD_SORT_NUM_BLOCKS}};
  for (size_t i = 0; i < COUNT_OF(sorts); i++) {
    assert_true(give(&f, sorts[i].argument));
    assert_int_equal(f.options.sort_by, sorts[i].sort_by);
  }
  assert_true(give(&f, "--advice=yes"));
  assert_int_equal(f.options.hint, DMD_YES);
  assert_true(give(&f, "--dump-at-exit=no"));
  assert_int_equal(f.options.dump_at_exit, DMD_NO);
  assert_true(give(&f, "--stacks=partial"));
  assert_true(dmd_options_live(&f.options).partial_stacks);
  assert_true(give(&f, "--tag-threads=none"));
  assert_false(dmd_options_live(&f.options).inherit_tags);
  end(&f);
}

static void functions_that_return_sizes(void **state) {
  (void)state;
  static const struct {
    const char *option, *glob, *set;
    uint32_t argument;
  } cases[] = {
      {"--claim-fn=size_*", "size_*", NULL, 1},
      {"--claim-fn=size_of,arg=3", "size_of", NULL, 3},
      {"--claim-fn=f(int, char),arg=2", "f(int, char)", NULL, 2},
      {"--claim-fn=used,tag=a=b", "used", "tag:a=b", 0},
      {"--claim-fn=used,alloc-fn=z*alloc", "used", "alloc-fn:z*alloc", 0},
      {"--claim-fn=_ZNK3jar3Jar7measureEi,arg=2", "jar::Jar::measure", NULL, 2},
      {"--claim-fn=_Zx*", "_Zx*", NULL, 1},
      {"--claim-fn=_ZN", "_ZN", NULL, 1},
  };
  fixture_t f;
  begin(&f);
  for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
    assert_true(give(&f, cases[i].option));
    const dmd_claim_fn_t *fn = DMD_POOL_AT(&f.options.claim_fns, const dmd_claim_fn_t, i + 1);
    assert_string_equal(fn->glob, cases[i].glob);
    assert_int_equal(fn->argument, cases[i].argument);
    assert_int_equal(fn->set != NULL, cases[i].set != NULL);
    if (fn->set != NULL)
      assert_string_equal(fn->set, cases[i].set);
  }
  end(&f);
}

static void rules_keep_their_order(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  char argument[] = "--tag-library=lib*=box";
  assert_true(give(&f, argument));
  memset(argument, 'x', sizeof argument - 1); /* the host's own; a copy was made */
  assert_true(give(&f, "--report-fn=measure_*"));
  assert_true(give(&f, "--alloc-fn=pool_*") && give(&f, "--alloc-fn=take"));
  assert_true(give(&f, "--alloc-fn=Box::*") && give(&f, "--full-names=yes"));
  assert_true(f.options.frame_view.full_names);
  assert_int_equal(f.options.frame_view.n_alloc_fns, 3);
  assert_string_equal(f.options.frame_view.alloc_fns[0], "pool_*");
  assert_string_equal(f.options.frame_view.alloc_fns[2], "Box::*");
  assert_true(give(&f, "--tag-fn=**operator===equal"));
  static const struct {
    dmd_rule_kind_t kind;
    bool any_frame;
    const char *glob, *tag;
  } expected[] = {
      {DMD_RULE_TAG_LIBRARY, false, "lib*", "box"},
      {DMD_RULE_REPORT_FN, false, "measure_*", NULL},
      {DMD_RULE_TAG_FN, true, "operator==", "equal"},
  };
  assert_int_equal(f.options.rules.last, COUNT_OF(expected));
  for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
    const dmd_rule_t *rule = dmd_options_rule(&f.options, i + 1);
    assert_int_equal(rule->kind, expected[i].kind);
    assert_int_equal(rule->any_frame, expected[i].any_frame);
    assert_string_equal(rule->glob, expected[i].glob);
    if (expected[i].tag == NULL)
      assert_null(rule->tag);
    else
      assert_string_equal(rule->tag, expected[i].tag);
  }
  end(&f);
}

static void wrong_rules_and_names(void **state) {
  (void)state;
  static const struct {
    const char *argument, *why;
  } cases[] = {
      {"--tag-library=box", "'box' is not of the form PATTERN=TAG"},
      {"--tag-fn==x", "the pattern before '=' is empty"},
      {"--tag-fn=**=x", "the pattern before '=' is empty"},
      {"--tag-fn=**", "'**' is not of the form PATTERN=TAG"},
      {"--tag-fn=f=", "the tag after '=' is empty"},
      {"--report-fn=", "the pattern is empty"},
      {"--alloc-fn=", "the pattern is empty"},
      {"--dmd-out-file=", "the file's name is empty"},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_false(give(&f, cases[i].argument));
    assert_string_equal(f.why.text, cases[i].why);
  }
  char longest[16 + DMD_MAX_NAME + 2] = "--tag-fn=f=";
  size_t n = strlen(longest);
  memset(longest + n, 't', DMD_MAX_NAME);
  longest[n + DMD_MAX_NAME] = '\0';
  assert_true(give(&f, longest));
  longest[n + DMD_MAX_NAME] = 't';
  longest[n + DMD_MAX_NAME + 1] = '\0';
  assert_false(give(&f, longest));
  assert_string_equal(f.why.text, "the tag is longer than 4096 bytes");
  assert_int_equal(f.options.rules.last, 1);
  assert_string_equal(f.options.out_file, "dmd.out.%p.json.gz");
  end(&f);
}

static void what_was_given(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_options_note(&f.options, "--mode=live");
  dmd_options_note(&f.options, "--tag-fn=a b=c");
  assert_string_equal(f.options.given.text, "--mode=live --tag-fn=a b=c");
  end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  fixture_t f;
  f.host.env = host->env;
  dmd_options_init(&f.options, &host->env);
  dmd_strbuf_init(&f.why, &host->env);
  give(&f, "--tag-fn=a=b");
  give(&f, "--dmd-out-file=x");
  dmd_options_note(&f.options, "--mode=live");
  dmd_strbuf_destroy(&f.why);
  dmd_options_destroy(&f.options);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(a_scan_has_every_block),
      cmocka_unit_test(intervals_are_sizes),
      cmocka_unit_test(a_limit_for_dumps_is_a_size_or_a_share),
      cmocka_unit_test(what_needs_all_blocks_does_not_go_with_an_interval),
      cmocka_unit_test(words_are_in_the_order_of_their_enums),
      cmocka_unit_test(functions_that_return_sizes),
      cmocka_unit_test(rules_keep_their_order),
      cmocka_unit_test(wrong_rules_and_names),
      cmocka_unit_test(what_was_given),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
