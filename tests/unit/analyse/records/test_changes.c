/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Changes between two profiles by place, against slow lists of texts. */
#include "fixture.h"

#include "analyse/records/changes.h"

#include <stdio.h>

/* ---- By hand. ---- */

static uint32_t reported(dmd_profile_t *p, uint32_t n) {
  return build_reports(p, n, "r", "a", n > 1 ? "s" : NULL, n > 1 ? "b" : NULL);
}

typedef struct {
  const char *stack;
  dmd_change_t change;
  int64_t before, now;
} expected_t;

/* Blocks of one place each, the largest change first. Lines and offsets differ everywhere. */
static void each_kind_by_hand(void **state) {
  (void)state;
  static const expected_t expected[] = {
      {"fresh (a.c:7)", DMD_CHANGE_NEW, 0, 900},
      {"seen (a.c:8)", DMD_CHANGE_STATUS, 800, 800},
      {"left (a.c:3)", DMD_CHANGE_GONE, 700, 0},
      {"wide[l.so +0x99]", DMD_CHANGE_GROWN, 100, 600},
      {"thin (a.c:50)|main (a.c:60)", DMD_CHANGE_SHRUNK, 500, 100},
      {"split (a.c:2)", DMD_CHANGE_OTHER, 64, 64},
  };
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *old = &f.other, *new = &f.profile;
  old->mode = DMD_MODE_DARK_MATTER;
  build_blocks(old, 1, 500, 0, "thin (a.c:5)|main (a.c:6)", DMD_NONE);
  build_blocks(old, 1, 64, 0, "split (a.c:1)", DMD_NONE);
  build_blocks(old, 7, 90, 10, "left (a.c:3)", reported(old, 2));
  build_blocks(old, 1, 100, 0, "wide[l.so +0x1]", DMD_NONE);
  build_blocks(old, 8, 100, 0, "seen (a.c:3)", DMD_NONE);
  build_blocks(old, 8, 100, 0, "same (a.c:3)", DMD_NONE);
  build_blocks(new, 1, 100, 0, "thin (a.c:50)|main (a.c:60)", DMD_NONE);
  build_blocks(new, 2, 32, 0, "split (a.c:2)", DMD_NONE);
  build_blocks(new, 1, 600, 0, "wide[l.so +0x99]", DMD_NONE);
  build_blocks(new, 9, 100, 0, "fresh (a.c:7)", reported(new, 1));
  build_blocks(new, 8, 100, 0, "seen (a.c:8)", reported(new, 1));
  build_blocks(new, 4, 200, 0, "same (a.c:9)", DMD_NONE);
  build_blocks(new, 4, 0, 0, "same (a.c:9)", DMD_NONE);
  dmd_changes_t c;
  dmd_changes_init(&c, old, new, 8);
  assert_int_equal(c.n, COUNT_OF(expected));
  for (uint32_t i = 0; i < c.n; i++) {
    const dmd_place_t *place = dmd_changes_at(&c, i);
    assert_string_equal(stack_text(&c.shown, place->stack), expected[i].stack);
    assert_int_equal(dmd_place_change(place), expected[i].change);
    assert_int_equal(place->before.total, expected[i].before);
    assert_int_equal(place->now.total, expected[i].now);
  }
  assert_int_equal(c.before.total, 500 + 64 + 700 + 100 + 800 + 800);
  assert_int_equal(c.now.usable[DMD_SECTION_ONCE], 900 + 800);
  dmd_changes_destroy(&c);
  fixture_end(&f);
}

/* Frames beyond the limit do not distinguish places; all blocks without a stack are one place. */
static void places_are_cut_stacks(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  f.other.mode = DMD_MODE_LIVE;
  build_blocks(&f.other, 1, 10, 0, "new|knead|bake", DMD_NONE);
  build_blocks(&f.other, 1, 5, 0, NULL, DMD_NONE);
  build_blocks(&f.profile, 1, 20, 0, "new|knead|sell", DMD_NONE);
  build_blocks(&f.profile, 1, 7, 0, "", DMD_NONE);
  dmd_changes_t c;
  dmd_changes_init(&c, &f.other, &f.profile, 2);
  assert_int_equal(c.n, 2);
  assert_string_equal(stack_text(&c.shown, dmd_changes_at(&c, 0)->stack), "new|knead");
  assert_int_equal(dmd_changes_at(&c, 0)->now.total, 20);
  assert_int_equal(dmd_changes_at(&c, 1)->before.total, 5);
  assert_int_equal(dmd_changes_at(&c, 1)->now.total, 7);
  dmd_changes_destroy(&c);
  fixture_end(&f);
}

/* ---- Against a list. ---- */

enum { N_FUNCTIONS = 3, MAX_DEPTH = 3, MAX_LIMIT = 3, MAX_PLACES = 40 };

typedef struct {
  char key[32]; /* functions of the cut stack */
  int64_t before, now, n_before, n_now;
} place_t;

static place_t *find(place_t *places, size_t *n, const char *key) {
  for (size_t i = 0; i < *n; i++)
    if (strcmp(places[i].key, key) == 0)
      return &places[i];
  assert_true(*n < MAX_PLACES);
  place_t *place = &places[(*n)++];
  *place = (place_t){.key = ""};
  strcpy(place->key, key);
  return place;
}

/* Adds blocks of a stack of functions "f0" and so on, each at any line; limit frames make it. */
static void add_random(dmd_profile_t *p, dice_t *dice, size_t limit, place_t *places, size_t *n,
                       bool is_now) {
  char stack[128] = "", key[32] = "";
  size_t depth = 1 + (size_t)dice_below(dice, MAX_DEPTH);
  for (size_t i = 0; i < depth; i++) {
    char function = (char)('0' + dice_below(dice, N_FUNCTIONS));
    sprintf(stack + strlen(stack), "%sf%c (a.c:%u)", i > 0 ? "|" : "", function,
            (unsigned)dice_below(dice, 50));
    if (i < limit)
      sprintf(key + strlen(key), "f%c|", function);
  }
  int64_t num = 1 + (int64_t)dice_below(dice, 3), req = (int64_t)dice_below(dice, 40);
  build_blocks(p, num, req, 0, stack, DMD_NONE);
  place_t *place = find(places, n, key);
  *(is_now ? &place->now : &place->before) += num * req;
  *(is_now ? &place->n_now : &place->n_before) += num;
}

static void check_places(const dmd_changes_t *c, place_t *places, size_t n) {
  uint32_t n_changed = 0;
  for (size_t i = 0; i < n; i++)
    n_changed += places[i].before != places[i].now || places[i].n_before != places[i].n_now;
  assert_int_equal(c->n, n_changed);
  int64_t last = INT64_MAX;
  for (uint32_t i = 0; i < c->n; i++) {
    const dmd_place_t *place = dmd_changes_at(c, i);
    char key[32] = "";
    size_t n_frames;
    const uint32_t *frames = dmd_profile_frames(&c->shown, place->stack, &n_frames);
    for (size_t k = 0; k < n_frames; k++)
      sprintf(key + strlen(key), "%.2s|", dmd_frames_text(&c->shown.frames, frames[k]));
    size_t n_known = n;
    const place_t *expected = find(places, &n_known, key);
    assert_int_equal(n_known, n);
    assert_int_equal(place->before.total, expected->before);
    assert_int_equal(place->now.total, expected->now);
    assert_int_equal(place->before.num, expected->n_before);
    assert_int_equal(place->now.num, expected->n_now);
    int64_t change = llabs(expected->now - expected->before);
    assert_true(change <= last);
    last = change;
  }
}

static void random_against_a_list(void **state) {
  (void)state;
  dice_t dice = {19};
  for (int round = 0; round < 300; round++) {
    static place_t places[MAX_PLACES];
    size_t n = 0, limit = 1 + (size_t)dice_below(&dice, MAX_LIMIT);
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    f.other.mode = DMD_MODE_LIVE;
    for (uint64_t i = dice_below(&dice, 30); i > 0; i--) {
      bool is_now = dice_below(&dice, 2) == 0;
      add_random(is_now ? &f.profile : &f.other, &dice, limit, places, &n, is_now);
    }
    dmd_changes_t c;
    dmd_changes_init(&c, &f.other, &f.profile, (uint32_t)limit);
    check_places(&c, places, n);
    dmd_changes_destroy(&c);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t old, new;
  dmd_profile_init(&old, &host->env);
  dmd_profile_init(&new, &host->env);
  build_blocks(&old, 1, 10, 0, "f (a.c:1)|g (a.c:2)", DMD_NONE);
  build_blocks(&new, 1, 20, 0, "f (a.c:3)|g (a.c:4)", DMD_NONE);
  dmd_changes_t c;
  dmd_changes_init(&c, &old, &new, 8);
  assert_int_equal(c.n, 1);
  dmd_changes_destroy(&c);
  dmd_profile_destroy(&new);
  dmd_profile_destroy(&old);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_by_hand),
      cmocka_unit_test(places_are_cut_stacks),
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
