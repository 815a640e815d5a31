/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <stdio.h>

/* "a|b" of a cut stack. */
static const char *cut_text(const fixture_t *f, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(&f->records, stack, &n);
  return frames_text(&f->profile, frames, n);
}

/* The allocation stacks of a section's records in their order, as "a|b a|c". */
static void assert_order(const fixture_t *f, dmd_section_t section, const char *expected) {
  char text[1024] = "";
  const dmd_section_records_t *s = &f->records.section[section];
  for (uint32_t i = 0; i < s->n; i++) {
    strcat(text, i > 0 ? " " : "");
    strcat(text, cut_text(f, dmd_records_at(&f->records, s->ids[i])->stack));
  }
  assert_string_equal(text, expected);
}

static const dmd_record_t *nth(const fixture_t *f, dmd_section_t section, uint32_t i) {
  assert_true(i < f->records.section[section].n);
  return dmd_records_at(&f->records, f->records.section[section].ids[i]);
}

/* ---- what is one record ---- */

static void build_loaves(fixture_t *f) {
  fixture_begin(f, DMD_MODE_LIVE);
  build_blocks(&f->profile, 1, 600, 0, "new|knead|bake|main", DMD_NONE);
  build_blocks(&f->profile, 2, 150, 50, "new|knead|fry|main", DMD_NONE);
  build_blocks(&f->profile, 1, 150, 50, "new|knead", DMD_NONE);
  build_blocks(&f->profile, 1, 90, 10, "new", DMD_NONE);
}

static void the_frame_limit_joins_stacks(void **state) {
  (void)state;
  static const char *const order[] = {"", "new", "new|knead new",
                                      "new|knead|bake new|knead|fry new|knead new",
                                      "new|knead|bake|main new|knead|fry|main new|knead new"};
  for (uint32_t max_frames = 1; max_frames <= 4; max_frames++) {
    fixture_t f;
    build_loaves(&f);
    fixture_records(&f, max_frames, DMD_SORT_USABLE);
    assert_order(&f, DMD_SECTION_ALL, order[max_frames]);
    assert_int_equal(f.records.heap.bytes, 600 + 400 + 200 + 100);
    assert_int_equal(f.records.heap.blocks, 5);
    fixture_end(&f);
  }
  fixture_t f;
  build_loaves(&f);
  fixture_records(&f, 2, DMD_SORT_USABLE);
  const dmd_record_t *r = nth(&f, DMD_SECTION_ALL, 0);
  assert_int_equal(r->num, 4);
  assert_int_equal(r->req, 600 + 300 + 150);
  assert_int_equal(r->slop, 150);
  assert_int_equal(r->usable, 1200);
  fixture_end(&f);
}

/* Stacks are compared by the text of their frames. A stack without frames and no stack at all are
 * not prefixes of other stacks. */
static void missing_and_empty_stacks(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 30, 0, NULL, DMD_NONE);
  build_blocks(&f.profile, 1, 20, 0, "", DMD_NONE);
  build_blocks(&f.profile, 1, 10, 0, "a", DMD_NONE);
  build_blocks(&f.profile, 1, 31, 0, NULL, DMD_NONE);
  fixture_records(&f, 24, DMD_SORT_USABLE);
  assert_int_equal(f.records.section[DMD_SECTION_ALL].n, 3);
  assert_int_equal(nth(&f, DMD_SECTION_ALL, 0)->stack, DMD_NONE);
  assert_int_equal(nth(&f, DMD_SECTION_ALL, 0)->num, 2);
  assert_int_not_equal(nth(&f, DMD_SECTION_ALL, 1)->stack, DMD_NONE);
  assert_string_equal(cut_text(&f, nth(&f, DMD_SECTION_ALL, 1)->stack), "");
  fixture_end(&f);
}

/* In dark-matter mode, stacks of reports distinguish records, too, after they are cut. */
static void report_stacks_tell_apart(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  build_blocks(p, 1, 100, 0, "new|x", DMD_NONE);
  build_blocks(p, 1, 200, 0, "new|x", build_reports(p, 1, "size|a", NULL, NULL, NULL));
  build_blocks(p, 1, 300, 0, "new|x", build_reports(p, 1, "size|b", NULL, NULL, NULL));
  build_blocks(p, 1, 400, 0, "new|x", build_reports(p, 1, "measure|a", NULL, NULL, NULL));
  build_blocks(p, 1, 500, 0, "new|x", build_reports(p, 2, "size|a", NULL, "size|b", NULL));
  build_blocks(p, 1, 600, 0, "new|x", build_reports(p, 2, "size|b", NULL, "size|a", NULL));
  build_blocks(p, 1, 700, 0, "new|x", build_reports(p, 5, "size|a", NULL, "size|b", NULL));
  build_blocks(p, 1, 800, 0, "new|x", build_reports(p, 1, "size|a", "explicit/x", NULL, NULL));

  fixture_records(&f, 2, DMD_SORT_USABLE);
  assert_int_equal(f.records.section[DMD_SECTION_UNREPORTED].n, 1);
  assert_int_equal(f.records.section[DMD_SECTION_ONCE].n, 3);
  assert_int_equal(f.records.section[DMD_SECTION_TWICE].n, 2);
  assert_int_equal(f.records.section[DMD_SECTION_ALL].n, 0);
  assert_int_equal(f.records.section[DMD_SECTION_ONCE].sum.bytes, 200 + 300 + 400 + 800);
  assert_int_equal(f.records.section[DMD_SECTION_ONCE].sum.blocks, 4);
  assert_int_equal(f.records.heap.bytes, 3600);
  /* Which reporter reported is not part of the key, and neither is the count of reports beyond
   * two. */
  const dmd_record_t *once = nth(&f, DMD_SECTION_ONCE, 0);
  assert_int_equal(once->usable, 1000);
  assert_int_equal(once->n_reported, 1);
  assert_string_equal(cut_text(&f, once->reported[0]), "size|a");
  const dmd_record_t *twice = nth(&f, DMD_SECTION_TWICE, 0);
  assert_int_equal(twice->usable, 1200);
  assert_int_equal(twice->n_reported, 2);
  assert_int_equal(twice->most_reports, 5);
  assert_string_equal(cut_text(&f, twice->reported[0]), "size|a");
  assert_string_equal(cut_text(&f, twice->reported[1]), "size|b");

  fixture_records(&f, 1, DMD_SORT_USABLE);
  assert_int_equal(f.records.section[DMD_SECTION_ONCE].n, 2);
  assert_int_equal(f.records.section[DMD_SECTION_TWICE].n, 1);
  assert_int_equal(nth(&f, DMD_SECTION_TWICE, 0)->num, 3);
  fixture_end(&f);
}

/* A second report whose stack was not recorded does not make the block once-reported. */
static void a_report_without_a_stack_counts(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  build_blocks(p, 1, 10, 0, "new", build_reports(p, 1, NULL, NULL, NULL, NULL));
  build_blocks(p, 1, 10, 0, "new", build_reports(p, 2, NULL, NULL, NULL, NULL));
  build_blocks(p, 1, 10, 0, "new", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_int_equal(f.records.section[DMD_SECTION_UNREPORTED].n, 1);
  assert_int_equal(f.records.section[DMD_SECTION_ONCE].n, 1);
  assert_int_equal(f.records.section[DMD_SECTION_TWICE].n, 1);
  fixture_end(&f);
}

static void other_modes_do_not_look_at_reports(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    fixture_t f;
    fixture_begin(&f, modes[i]);
    build_blocks(&f.profile, 1, 100, 0, "new", DMD_NONE);
    build_blocks(&f.profile, 1, 50, 0, "new", build_reports(&f.profile, 1, "r", NULL, NULL, NULL));
    fixture_records(&f, 8, DMD_SORT_USABLE);
    assert_int_equal(f.records.section[DMD_SECTION_ALL].n, 1);
    assert_int_equal(f.records.section[DMD_SECTION_ALL].sum.bytes, 150);
    assert_int_equal(f.records.section[DMD_SECTION_ONCE].n, 0);
    assert_int_equal(nth(&f, DMD_SECTION_ALL, 0)->n_reported, 0);
    fixture_end(&f);
  }
}

/* ---- their order ---- */

static void sorted_by_what_was_asked(void **state) {
  (void)state;
  static const struct {
    dmd_sort_by_t sort_by;
    const char *order;
  } cases[] = {
      /*                     usable  req slop blocks
       *  d  5 x (60 + 20)      400  300  100      5
       *  c  1 x (300 + 200)    500  300  200      1
       *  b  2 x (150 + 90)     480  300  180      2
       *  a  4 x 100            400  400    0      4
       *  e  4 x (90 + 30)      480  360  120      4  */
      {DMD_SORT_USABLE, "c e b a d"}, /* e, b: by req; a, d: by req */
      {DMD_SORT_REQ, "a e d c b"},    /* d, c, b: as they came */
      {DMD_SORT_SLOP, "c b e d a"},
      {DMD_SORT_NUM_BLOCKS, "d e a b c"}, /* e, a: by usable */
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    build_blocks(&f.profile, 5, 60, 20, "d", DMD_NONE);
    build_blocks(&f.profile, 1, 300, 200, "c", DMD_NONE);
    build_blocks(&f.profile, 2, 150, 90, "b", DMD_NONE);
    build_blocks(&f.profile, 4, 100, 0, "a", DMD_NONE);
    build_blocks(&f.profile, 4, 90, 30, "e", DMD_NONE);
    fixture_records(&f, 8, cases[i].sort_by);
    assert_order(&f, DMD_SECTION_ALL, cases[i].order);
    fixture_end(&f);
  }
}

static void ties_stay_as_they_came(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 10, 0, "z", DMD_NONE);
  build_blocks(&f.profile, 1, 5, 0, "m", DMD_NONE);
  build_blocks(&f.profile, 1, 10, 0, "a", DMD_NONE);
  build_blocks(&f.profile, 1, 4, 1, "m", DMD_NONE); /* m met first before a */
  build_blocks(&f.profile, 1, 10, 0, "k", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_order(&f, DMD_SECTION_ALL, "z a k m"); /* m has less req */
  fixture_records(&f, 8, DMD_SORT_SLOP);
  assert_order(&f, DMD_SECTION_ALL, "m z a k");
  fixture_end(&f);
}

static void shrinking_counts_by_its_size(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 50, 0, "small", DMD_NONE);
  build_blocks(&f.profile, -3, 100, 20, "shrunk", DMD_NONE);
  build_blocks(&f.profile, 2, 100, 20, "grown", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_order(&f, DMD_SECTION_ALL, "shrunk grown small");
  assert_int_equal(nth(&f, DMD_SECTION_ALL, 0)->usable, -360);
  assert_int_equal(nth(&f, DMD_SECTION_ALL, 0)->num, -3);
  assert_int_equal(f.records.heap.bytes, 50 - 360 + 240); /* the net heap */
  assert_int_equal(f.records.heap.blocks, 0);
  fixture_end(&f);
}

/* ---- sizes ---- */

static void assert_sizes(const fixture_t *f, const dmd_record_t *r,
                         const dmd_size_count_t *expected, size_t n_expected) {
  size_t n = 99;
  dmd_size_count_t *sizes = dmd_record_sizes(&f->records, r, &n);
  assert_int_equal(n, n_expected);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(sizes[i].usable, expected[i].usable);
    assert_int_equal(sizes[i].num, expected[i].num);
  }
  dmd_env_free(&f->host.env, sizes);
}

/* Blocks of one usable size are one entry, whatever was requested and whatever their tags. */
static void sizes_are_usable_sizes(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 2, 20, 12, "a", DMD_NONE);
  build_blocks(&f.profile, 1, 64, 0, "a", DMD_NONE);
  build_blocks(&f.profile, 7, 999, 1, "b", DMD_NONE);
  build_tagged(&f.profile, 3, 32, 0, "a", DMD_NONE, "tag");
  build_blocks(&f.profile, 1, 8, 0, "a", DMD_NONE);
  build_blocks(&f.profile, 4, 31, 1, "a", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_order(&f, DMD_SECTION_ALL, "b a");
  static const dmd_size_count_t of_a[] = {{64, 1}, {32, 9}, {8, 1}}, of_b[] = {{1000, 7}};
  assert_sizes(&f, nth(&f, DMD_SECTION_ALL, 0), of_b, 1);
  assert_sizes(&f, nth(&f, DMD_SECTION_ALL, 1), of_a, 3);
  fixture_end(&f);
}

/* A difference counts blocks that went as negative. In the sizes the count is positive and the size
 * carries the sign; sizes of which as many came as went are left out. */
static void sizes_of_a_difference(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, -2, 20, 12, "a", DMD_NONE);
  build_blocks(&f.profile, 5, 64, 0, "a", DMD_NONE);
  build_blocks(&f.profile, -1, 60, 4, "a", DMD_NONE);
  build_blocks(&f.profile, 3, 16, 0, "a", DMD_NONE);
  build_blocks(&f.profile, -3, 10, 6, "a", DMD_NONE);
  build_blocks(&f.profile, 1, 7, 1, "same", DMD_NONE);
  build_blocks(&f.profile, -1, 8, 0, "same", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_order(&f, DMD_SECTION_ALL, "a same");
  static const dmd_size_count_t of_a[] = {{64, 4}, {-32, 2}};
  assert_sizes(&f, nth(&f, DMD_SECTION_ALL, 0), of_a, 2);
  assert_sizes(&f, nth(&f, DMD_SECTION_ALL, 1), NULL, 0);
  fixture_end(&f);
}

/* ---- all of it against a naive model, whose keys are texts ---- */

enum { MAX_GROUPS = 200 };

typedef struct {
  char key[256];
  int64_t num, req, slop;
  dmd_section_t section;
} naive_record_t;

typedef struct {
  naive_record_t list[MAX_GROUPS];
  size_t n;
} naive_t;

/* "a|b|c" cut to its first frames. */
static void naive_cut(char *to, const char *frames, uint32_t max_frames) {
  strcpy(to, frames);
  for (char *p = to; *p != '\0'; p++)
    if (*p == '|' && --max_frames == 0) {
      *p = '\0';
      return;
    }
}

static void random_stack(dice_t *dice, char *frames) {
  size_t n = 1 + (size_t)dice_below(dice, 4);
  for (size_t i = 0; i < n; i++)
    frames += sprintf(frames, "%s%c", i > 0 ? "|" : "", (int)('a' + dice_below(dice, 2)));
}

static void naive_add(naive_t *naive, const char *key, dmd_section_t section, int64_t num,
                      int64_t req, int64_t slop) {
  size_t i = 0;
  while (i < naive->n && strcmp(naive->list[i].key, key) != 0)
    i++;
  if (i == naive->n) {
    naive->list[naive->n++] = (naive_record_t){.section = section};
    strcpy(naive->list[i].key, key);
  }
  naive->list[i].num += num;
  naive->list[i].req += num * req;
  naive->list[i].slop += num * slop;
}

static bool naive_before(const naive_record_t *a, const naive_record_t *b, dmd_sort_by_t by) {
  int64_t ua = a->req + a->slop, ub = b->req + b->slop;
  if (by == DMD_SORT_SLOP)
    return llabs(a->slop) > llabs(b->slop);
  if (by == DMD_SORT_NUM_BLOCKS && llabs(a->num) != llabs(b->num))
    return llabs(a->num) > llabs(b->num);
  if (by != DMD_SORT_REQ && llabs(ua) != llabs(ub))
    return llabs(ua) > llabs(ub);
  return llabs(a->req) > llabs(b->req);
}

static void naive_sort(naive_t *naive, dmd_sort_by_t by) {
  for (size_t i = 1; i < naive->n; i++)
    for (size_t j = i; j > 0 && naive_before(&naive->list[j], &naive->list[j - 1], by); j--) {
      naive_record_t swap = naive->list[j];
      naive->list[j] = naive->list[j - 1];
      naive->list[j - 1] = swap;
    }
}

static void random_group(fixture_t *f, naive_t *naive, dice_t *dice, uint32_t max_frames) {
  char stack[16], reported[2][16], key[64], cut[16];
  random_stack(dice, stack);
  random_stack(dice, reported[0]);
  random_stack(dice, reported[1]);
  uint32_t count = (uint32_t)dice_below(dice, 4);
  int64_t num = (int64_t)dice_below(dice, 9) - 3, req = (int64_t)dice_below(dice, 4) * 10;
  int64_t slop = (int64_t)dice_below(dice, 3) * 5;
  build_blocks(&f->profile, num, req, slop, stack,
               build_reports(&f->profile, count, reported[0], NULL, reported[1], NULL));
  naive_cut(key, stack, max_frames);
  dmd_section_t section = DMD_SECTION_ALL;
  if (f->profile.mode == DMD_MODE_DARK_MATTER) {
    static const dmd_section_t sections[] = {DMD_SECTION_UNREPORTED, DMD_SECTION_ONCE,
                                             DMD_SECTION_TWICE, DMD_SECTION_TWICE};
    section = sections[count];
    for (uint32_t i = 0; i < count && i < 2; i++) {
      naive_cut(cut, reported[i], max_frames);
      sprintf(key + strlen(key), " / %s", cut);
    }
  }
  naive_add(naive, key, section, num, req, slop);
}

static void compare_to_naive(const fixture_t *f, const naive_t *naive) {
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    uint32_t at = 0;
    int64_t usable = 0, num = 0;
    for (size_t i = 0; i < naive->n; i++) {
      const naive_record_t *expected = &naive->list[i];
      if ((int)expected->section != section)
        continue;
      const dmd_record_t *r = nth(f, (dmd_section_t)section, at++);
      char key[256];
      strcpy(key, cut_text(f, r->stack));
      for (uint32_t k = 0; k < r->n_reported; k++)
        sprintf(key + strlen(key), " / %s", cut_text(f, r->reported[k]));
      assert_string_equal(key, expected->key);
      assert_int_equal(r->num, expected->num);
      assert_int_equal(r->req, expected->req);
      assert_int_equal(r->slop, expected->slop);
      assert_int_equal(r->usable, expected->req + expected->slop);
      usable += r->usable;
      num += r->num;
    }
    assert_int_equal(f->records.section[section].n, at);
    assert_int_equal(f->records.section[section].sum.bytes, usable);
    assert_int_equal(f->records.section[section].sum.blocks, num);
  }
}

static void random_against_texts(void **state) {
  (void)state;
  dice_t dice = {71};
  size_t most = 0;
  for (int round = 0; round < 300; round++) {
    static naive_t naive;
    naive.n = 0;
    fixture_t f;
    fixture_begin(&f, round % 3 == 0 ? DMD_MODE_LIVE : DMD_MODE_DARK_MATTER);
    uint32_t max_frames = 1 + (uint32_t)dice_below(&dice, 5);
    size_t n_groups = (size_t)dice_below(&dice, MAX_GROUPS);
    for (size_t i = 0; i < n_groups; i++)
      random_group(&f, &naive, &dice, max_frames);
    dmd_sort_by_t by = (dmd_sort_by_t)dice_below(&dice, 4);
    naive_sort(&naive, by);
    fixture_records(&f, max_frames, by);
    compare_to_naive(&f, &naive);
    if (naive.n > most)
      most = naive.n;
    fixture_end(&f);
  }
  assert_true(most > 100);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  build_blocks(&profile, 2, 10, 6, "a|b", DMD_NONE);
  build_blocks(&profile, 3, 20, 6, "a|c", DMD_NONE);
  build_blocks(&profile, 3, 30, 6, "a|c|d", build_reports(&profile, 1, "r", NULL, NULL, NULL));
  dmd_records_t records;
  dmd_records_init(&records, &profile, 2, DMD_SORT_SLOP);
  size_t n;
  const dmd_record_t *r = dmd_records_at(&records, 1);
  dmd_env_free(&host->env, dmd_record_sizes(&records, r, &n));
  dmd_records_destroy(&records);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_frame_limit_joins_stacks),
      cmocka_unit_test(missing_and_empty_stacks),
      cmocka_unit_test(report_stacks_tell_apart),
      cmocka_unit_test(a_report_without_a_stack_counts),
      cmocka_unit_test(other_modes_do_not_look_at_reports),
      cmocka_unit_test(sorted_by_what_was_asked),
      cmocka_unit_test(ties_stay_as_they_came),
      cmocka_unit_test(shrinking_counts_by_its_size),
      cmocka_unit_test(sizes_are_usable_sizes),
      cmocka_unit_test(sizes_of_a_difference),
      cmocka_unit_test(random_against_texts),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
