/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <stdio.h>

#include "analyse/records/hintsum.h"

static bool alike(const dmd_hint_t *a, const dmd_hint_t *b) {
  return a->alloc == b->alloc && a->referrer_kind == b->referrer_kind &&
         a->reporter == b->reporter && a->stack == b->stack && a->offset == b->offset;
}

/* All fields but blocks and bytes are the key of a hint; these two are added up. */
static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 3000 };
  static dmd_hint_t list[MAX + 1];
  uint32_t n = 0;
  dice_t dice = {77};
  host_t host;
  host_init(&host);
  dmd_hints_t hints;
  dmd_hints_init(&hints, &host.env);
  for (int step = 0; step < MAX; step++) {
    dmd_hint_t hint = {.blocks = dice_below(&dice, 9),
                       .bytes = dice_below(&dice, 900),
                       .alloc = (uint32_t)dice_below(&dice, 5),
                       .referrer_kind = (uint32_t)dice_below(&dice, DMD_N_REFERRER_KINDS),
                       .reporter = (uint32_t)dice_below(&dice, 4),
                       .stack = (uint32_t)dice_below(&dice, 5),
                       .offset = (uint32_t)dice_below(&dice, 2)};
    uint32_t id = 1;
    while (id <= n && !alike(&list[id], &hint))
      id++;
    if (id > n) {
      list[++n] = hint;
    } else {
      list[id].blocks += hint.blocks;
      list[id].bytes += hint.bytes;
    }
    dmd_hints_add(&hints, &hint);
  }
  assert_int_equal(dmd_hints_count(&hints), n);
  assert_true(n > 500 && n < 1200);
  for (uint32_t id = 1; id <= n; id++) {
    const dmd_hint_t *a = dmd_hints_at(&hints, id);
    assert_true(alike(a, &list[id]) && a->blocks == list[id].blocks && a->bytes == list[id].bytes);
  }
  dmd_hints_destroy(&hints);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_hints_t hints;
  dmd_hints_init(&hints, &host->env);
  for (uint32_t i = 0; i < 100; i++)
    dmd_hints_add(&hints, &(dmd_hint_t){.alloc = i});
  dmd_hints_destroy(&hints);
}

/* A list and a segment; 64, 128 and 256 slots. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 2 + 3);
}

/* ---- What is printed. ---- */

/* The line of the printed profile that names the referrers of its blocks, or "". Stacks
 * are cut to two frames. */
static const char *line(fixture_t *f) {
  static char buffer[500];
  const char *text = fixture_text(f, 2, DMD_SORT_USABLE, NULL);
  const char *held = strstr(text, "% held ");
  buffer[0] = '\0';
  if (held == NULL)
    return buffer;
  assert_null(strstr(held + 1, "% held "));
  const char *from = held;
  while (from[-1] != '\n')
    from--;
  snprintf(buffer, sizeof buffer, "%.*s", (int)strcspn(from, "\n"), from);
  return buffer;
}

static const char alloc[] = "malloc (vg_replace_malloc.c:0)|font (f.c:1)";

static void the_reporter_is_named(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 10, 90, 10, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "explicit/fonts", "size (f.c:2)", 0x18, 929);
  /* 929 of 1,000 bytes are 92.9% */
  assert_string_equal(line(&f), "  92% held at +0x18 of blocks reported by explicit/fonts");
  fixture_end(&f);
}

static void without_a_reporter_its_function(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 100, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, NULL, "size (f.c:2)|main (f.c:9)", 0, 100);
  assert_string_equal(line(&f), "  100% held at +0x0 of blocks reported by size (f.c:2)");
  fixture_end(&f);
}

static void unreported_referrers_are_told_by_their_allocation(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 100, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_UNREPORTED, NULL,
             "malloc (vg_replace_malloc.c:0)|box (b.c:3)", 8, 50);
  assert_string_equal(line(&f), "  50% held at +0x8 of unreported blocks allocated at box (b.c:3)");
  fixture_end(&f);
}

/* Stacks that look alike when cut are one, and reporters are one by their name. */
static void added_up_as_the_record_shows(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 50, 0, "a|b|c", DMD_NONE);
  build_blocks(&f.profile, 1, 50, 0, "a|b|d", DMD_NONE);
  build_blocks(&f.profile, 1, 50, 0, "other", DMD_NONE);
  build_hint(&f.profile, "a|b|c", DMD_REFERRER_REPORTED, "r", "size1", 8, 20);
  build_hint(&f.profile, "a|b|d", DMD_REFERRER_REPORTED, "r", "size2", 8, 20);
  build_hint(&f.profile, "a|b|c", DMD_REFERRER_REPORTED, NULL, "x|y|1", 16, 11);
  build_hint(&f.profile, "a|b|d", DMD_REFERRER_REPORTED, NULL, "x|y|2", 16, 12);
  assert_string_equal(line(&f), "  40% held at +0x8 of blocks reported by r");
  build_hint(&f.profile, "a|b|d", DMD_REFERRER_REPORTED, NULL, "x|y|2", 16, 18);
  assert_string_equal(line(&f), "  41% held at +0x10 of blocks reported by x");
  /* Both stacks may hold the same blocks. */
  build_hint(&f.profile, "a|b|c", DMD_REFERRER_REPORTED, NULL, "x|y|1", 16, 1000);
  assert_string_equal(line(&f), "  100% held at +0x10 of blocks reported by x");
  fixture_end(&f);
}

/* Two places that look alike hold most blocks, both of them. Their limit is the number of blocks in
 * the record. */
static void no_more_than_there_is(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 100, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_UNREPORTED, NULL, "x|y|1", 8, 60);
  build_hint(&f.profile, alloc, DMD_REFERRER_UNREPORTED, NULL, "x|y|2", 8, 60);
  assert_string_equal(line(&f), "  100% held at +0x8 of unreported blocks allocated at x");
  /* More than three quarters of that. */
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "size", 16, 76);
  assert_string_equal(line(&f), "  76% held at +0x10 of blocks reported by r");
  fixture_end(&f);
}

/* The fewest offsets that cover nine tenths. */
static void several_offsets(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0x20, 455);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 8, 460);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 50);
  assert_string_equal(line(&f), "  91% held at +0x8 and +0x20 of blocks reported by r");
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0x30, 10);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 25);
  assert_string_equal(line(&f), "  91% held at +0x8 and +0x20 of blocks reported by r");
  fixture_end(&f);
}

static void three_offsets_and_more(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  for (uint32_t i = 0; i < 3; i++)
    build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 32 - 8 * i, 300);
  assert_string_equal(line(&f), "  90% held at +0x10, +0x18 and +0x20 of blocks reported by r");
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", DMD_OFFSET_ANY, 101);
  assert_string_equal(line(&f), "  100% held in blocks reported by r");
  fixture_end(&f);
}

static void who_is_reported_wins_unless_it_holds_much_less(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 750);
  build_hint(&f.profile, alloc, DMD_REFERRER_UNREPORTED, NULL, "box", 8, 1000);
  assert_string_equal(line(&f), "  75% held at +0x0 of blocks reported by r");
  fixture_end(&f);
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 749);
  build_hint(&f.profile, alloc, DMD_REFERRER_UNREPORTED, NULL, "box", 8, 1000);
  assert_string_equal(line(&f), "  100% held at +0x8 of unreported blocks allocated at box");
  fixture_end(&f);
}

/* Independent of the ids of names and stacks, which change when a profile is written and read. */
static void of_equal_referrers_the_first(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_stack(&f.profile, "second");
  build_name(&f.profile, "explicit/second");
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "explicit/first", "s", 8, 500);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "explicit/second", "s", 0, 500);
  assert_string_equal(line(&f), "  50% held at +0x8 of blocks reported by explicit/first");
  fixture_end(&f);
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_stack(&f.profile, "second");
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, NULL, "first", 8, 500);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, NULL, "second", 0, 500);
  assert_string_equal(line(&f), "  50% held at +0x8 of blocks reported by first");
  fixture_end(&f);
}

/* A hint about the record's 100 blocks of 10 bytes. */
static void build_counted(fixture_t *f, dmd_referrer_kind_t kind, const char *referrer,
                          const uint64_t counts[4]) {
  dmd_hint_t hint = {.blocks = counts[0],
                     .bytes = 10 * counts[0],
                     .pointed = counts[1],
                     .referrers = counts[2],
                     .referrers_alike = counts[3],
                     .alloc = build_stack(&f->profile, alloc),
                     .referrer_kind = kind,
                     .stack = build_stack(&f->profile, referrer),
                     .offset = 8};
  dmd_hints_add(&f->profile.hints, &hint);
}

/* A referrer is {blocks, pointed to, referrers, blocks alike}. With a first, reported referrer and
 * a second, unreported one, the line is the one given. */
static void evidence_decides(void **state) {
  (void)state;
  static const struct {
    uint64_t first[4], second[4];
    const char *line;
  } cases[] = {
      /* In all, in a tenth, in fewer but many. */
      {{100, 100, 9, 9}, {0}, "  100% held at +0x8 of blocks reported by first"},
      {{100, 1, 1, 10},
       {0},
       "  100% held at +0x8 of blocks reported by first (in 1 of 10 such blocks)"},
      {{100, 10, 5, 2000},
       {0},
       "  100% held at +0x8 of blocks reported by first (in 5 of 2,000 such blocks)"},
      /* A few pointers in a few blocks may be chance. */
      {{100, 1, 1, 11}, {0}, ""},
      {{100, 9, 9, 2000}, {0}, ""},
      {{20, 3, 3, 2000}, {0}, ""},
      {{100, 1, 1, 11},
       {50, 50, 50, 50},
       "  50% held at +0x8 of unreported blocks allocated at second"},
      /* Weak evidence counts half. */
      {{100, 10, 5, 2000},
       {70, 70, 70, 70},
       "  70% held at +0x8 of unreported blocks allocated at second"},
      {{100, 10, 5, 2000},
       {40, 40, 40, 40},
       "  100% held at +0x8 of blocks reported by first (in 5 of 2,000 such blocks)"},
      /* Between equal referrers, the unreported one wins if it has twice the pointers. */
      {{100, 50, 5, 5}, {100, 99, 5, 5}, "  100% held at +0x8 of blocks reported by first"},
      {{100, 50, 5, 5},
       {100, 100, 5, 5},
       "  100% held at +0x8 of unreported blocks allocated at second"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    build_blocks(&f.profile, 100, 10, 0, alloc, DMD_NONE);
    build_counted(&f, DMD_REFERRER_REPORTED, "first", cases[i].first);
    if (cases[i].second[0] > 0)
      build_counted(&f, DMD_REFERRER_UNREPORTED, "second", cases[i].second);
    assert_string_equal(line(&f), cases[i].line);
    fixture_end(&f);
  }
}

/* A hostile file may have hints like these. */
static void the_last_reporter_has_a_name(void **state) {
  (void)state;
  for (dmd_referrer_kind_t kind = DMD_REFERRER_LAST_TIME; kind < DMD_N_REFERRER_KINDS; kind++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
    build_hint(&f.profile, alloc, kind, NULL, "s", 0, 1000);
    assert_null(strstr(fixture_text(&f, 2, DMD_SORT_USABLE, NULL), "reported by"));
    fixture_end(&f);
  }
}

static void too_little_is_not_told(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 1000, 0, alloc, DMD_NONE);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 9);
  assert_string_equal(line(&f), "");
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 1);
  assert_string_equal(line(&f), "  1% held at +0x0 of blocks reported by r");
  fixture_end(&f);
}

static void only_unreported_records_have_hint(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  uint32_t reports = build_reports(&f.profile, 1, "s", NULL, NULL, NULL);
  build_blocks(&f.profile, 1, 1000, 0, alloc, reports);
  build_hint(&f.profile, alloc, DMD_REFERRER_REPORTED, "r", "s", 0, 1000);
  assert_string_equal(line(&f), "");
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(the_reporter_is_named),
      cmocka_unit_test(without_a_reporter_its_function),
      cmocka_unit_test(unreported_referrers_are_told_by_their_allocation),
      cmocka_unit_test(added_up_as_the_record_shows),
      cmocka_unit_test(no_more_than_there_is),
      cmocka_unit_test(several_offsets),
      cmocka_unit_test(three_offsets_and_more),
      cmocka_unit_test(who_is_reported_wins_unless_it_holds_much_less),
      cmocka_unit_test(of_equal_referrers_the_first),
      cmocka_unit_test(evidence_decides),
      cmocka_unit_test(too_little_is_not_told),
      cmocka_unit_test(only_unreported_records_have_hint),
      cmocka_unit_test(the_last_reporter_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
