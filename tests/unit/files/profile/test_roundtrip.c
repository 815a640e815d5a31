/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader reads what the writer writes: random profiles are written and read back, and the
 * records of the result are compared with blocks that are grouped and sorted here, the slow way. */
#define _POSIX_C_SOURCE 200809L

#include "fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "dmdv/input/profilefile.h"
#include "files/profile/profilewriter.h"
#include "host/process.h"
#include "model/profile/profile.h"

enum { ROUNDS = 300 };

static void load(dmd_profile_t *profile, const char *name) {
  dmd_load_options_t options = {.contents = true, .moment = DMD_MOMENT_ALL};
  dmd_fail_t fail = {0};
  dmd_profile_init(profile, &dmdv_env);
  if (!dmdv_load(profile, name, &options, &fail))
    fail_msg("line %d: %s", (int)fail.line, fail.reason);
}

/* A file with this text; the name stays in a buffer of its own until the next call. */
static const char *file_with(const char *text) {
  static char name[64];
  strcpy(name, "/tmp/dmd-roundtrip-XXXXXX");
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  FILE *file = fdopen(fd, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return name;
}

static void load_text(dmd_profile_t *profile, const char *text) {
  const char *name = file_with(text);
  load(profile, name);
  remove(name);
}

static const char *written(sink_t *sink, const dmd_profile_t *profile) {
  sink_init(sink);
  dmd_profilewriter_write(&sink->out, profile);
  return sink_text(sink);
}

static const char *spelt(sink_t *sink, const dmd_profile_t *profile) {
  sink_init(sink);
  spell_groups(&sink->out, profile);
  spell_frames(&sink->out, profile);
  spell_timeline(&sink->out, profile);
  return sink_text(sink);
}

static uint32_t reports_of(const dmd_profile_t *profile, const dmd_group_t *g) {
  return g->reports == DMD_NONE ? 0 : dmd_reports_at(&profile->reports, g->reports)->count;
}

static bool is_shared(const dmd_profile_t *profile, const dmd_group_t *g) {
  return g->reports != DMD_NONE && dmd_reports_are_shared(&profile->reports, g->reports);
}

/* ---- there and back ---- */

static void read_back_equal(void **state) {
  (void)state;
  dice_t dice = {1};
  for (int round = 0; round < ROUNDS; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    add_times_at_random(&f.profile, &dice);
    dmd_profile_t back, again;
    load_text(&back, fixture_json(&f));
    sink_t second, third, said, said_back;
    load_text(&again, written(&second, &back));
    assert_text_equal(written(&third, &again), sink_text(&second));
    assert_text_equal(spelt(&said_back, &back), spelt(&said, &f.profile));
    sink_t *const sinks[] = {&second, &third, &said, &said_back};
    for (size_t i = 0; i < COUNT_OF(sinks); i++)
      sink_free(sinks[i]);
    dmd_profile_destroy(&again);
    dmd_profile_destroy(&back);
    fixture_end(&f);
  }
}

/* Doubles are exact up to 2^53 only. */
static void numbers_of_64_bits_come_back(void **state) {
  (void)state;
  static const uint64_t numbers[] = {(UINT64_C(1) << 53) + 1, (UINT64_C(1) << 63) + 1,
                                     UINT64_MAX - 1, UINT64_MAX};
  for (size_t i = 0; i < COUNT_OF(numbers); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    f.profile.run.is_known = true;
    f.profile.run.seed = numbers[i];
    f.profile.run.n_allocs = numbers[i];
    const dmd_fault_t fault = {.kind = DMD_FAULT_CLAIM, .num = 1, .claimed = numbers[i]};
    dmd_faults_add(&f.profile.faults, &fault);
    dmd_profile_t back;
    load_text(&back, fixture_json(&f));
    assert_int_equal(back.run.seed, numbers[i]);
    assert_int_equal(back.run.n_allocs, numbers[i]);
    assert_int_equal(dmd_faults_at(&back.faults, 1)->claimed, numbers[i]);
    dmd_profile_destroy(&back);
    fixture_end(&f);
  }
}

/* ---- moments ---- */

/* Of each moment by itself: its blocks and bytes. */
typedef struct {
  uint64_t blocks, szB;
} sum_t;

static sum_t sum_of(const dmd_groups_t *groups, bool of_peak) {
  sum_t sum = {0};
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *g = dmd_groups_at(groups, id);
    if (of_peak && g->after_peak)
      continue;
    sum.blocks += g->num;
    sum.szB += g->num * (g->req + g->slop);
  }
  return sum;
}

static void assert_only(const char *text, dmd_moment_choice_t moment, sum_t expected) {
  dmd_profile_t profile;
  const char *name = file_with(text);
  dmd_fail_t fail = {0};
  dmd_profile_init(&profile, &dmdv_env);
  assert_true(dmdv_load(&profile, name, &(dmd_load_options_t){.moment = moment}, &fail));
  remove(name);
  sum_t sum = sum_of(&profile.groups, false);
  assert_int_equal(sum.blocks, expected.blocks);
  assert_int_equal(sum.szB, expected.szB);
  assert_false(profile.has_peak);
  assert_int_equal(dmd_groups_count(&profile.gone), 0);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile.groups); id++)
    assert_false(dmd_groups_at(&profile.groups, id)->after_peak);
  dmd_profile_destroy(&profile);
}

static void figures_of_the_peak_stay_without_its_records(void **state) {
  (void)state;
  dice_t dice = {4};
  fixture_t f;
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill_at_random(&f.profile, &dice);
  while (!f.profile.has_peak)
    add_times_at_random(&f.profile, &dice);
  dmd_moment_choose(&f.profile, DMD_MOMENT_END);
  const char *name = file_with(fixture_json(&f));
  dmd_profile_init(&profile, &dmdv_env);
  assert_true(dmdv_load(&profile, name, &(dmd_load_options_t){.moment = DMD_MOMENT_ALL}, &fail));
  remove(name);
  assert_true(profile.run.peak.is_known);
  assert_int_equal(profile.run.peak.szB, f.profile.run.peak.szB);
  assert_false(profile.has_peak);
  dmd_profile_destroy(&profile);
  fixture_end(&f);
}

static void either_moment_can_be_had(void **state) {
  (void)state;
  dice_t dice = {4};
  int n_peaks = 0;
  for (int round = 0; round < ROUNDS; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    add_times_at_random(&f.profile, &dice);
    sum_t end = sum_of(&f.profile.groups, false), peak = sum_of(&f.profile.groups, true),
          gone = sum_of(&f.profile.gone, true);
    peak.blocks += gone.blocks;
    peak.szB += gone.szB;
    sum_t recent = f.profile.has_recent ? sum_of(&f.profile.recent, true)
                   : f.profile.has_peak ? peak
                                        : end;
    n_peaks += f.profile.has_peak;
    assert_only(fixture_json(&f), DMD_MOMENT_END, end);
    assert_only(fixture_json(&f), DMD_MOMENT_PEAK, f.profile.has_peak ? peak : end);
    assert_only(fixture_json(&f), DMD_MOMENT_RECENT, recent);
    fixture_end(&f);
  }
  assert_true(n_peaks > ROUNDS / 4);
}

/* ---- records ---- */

enum { MAX_RECORDS = 64 };

typedef struct {
  dmd_section_t section;
  char *key;
  int64_t num, req, slop;
  bool sampled;
} naive_t;

/* The key of a record: the stacks, cut. All owners of a shared block stand for one report. */
static char *naive_key(const dmd_profile_t *profile, const dmd_group_t *g, uint32_t max_frames) {
  sink_t sink;
  sink_init(&sink);
  spell_stack(&sink.out, profile, g->stack, max_frames);
  uint32_t n = profile->mode != DMD_MODE_DARK_MATTER ? 0 : is_shared(profile, g) ? 1 : 2;
  for (uint32_t i = 0; i < n && i < reports_of(profile, g); i++) {
    dmd_out_str(&sink.out, " by ");
    const dmd_report_set_t *set = dmd_reports_at(&profile->reports, g->reports);
    spell_stack(&sink.out, profile, set->report[i].stack, max_frames);
  }
  char *key = strdup(sink_text(&sink));
  assert_non_null(key);
  sink_free(&sink);
  return key;
}

static dmd_section_t naive_section(const dmd_profile_t *profile, const dmd_group_t *g) {
  if (profile->mode != DMD_MODE_DARK_MATTER)
    return DMD_SECTION_ALL;
  uint32_t n = is_shared(profile, g) ? 1 : reports_of(profile, g);
  return n == 0 ? DMD_SECTION_UNREPORTED : n == 1 ? DMD_SECTION_ONCE : DMD_SECTION_TWICE;
}

static size_t group_naively(naive_t naive[MAX_RECORDS], const dmd_profile_t *profile,
                            uint32_t max_frames) {
  size_t n = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    char *key = naive_key(profile, g, max_frames);
    size_t i = 0;
    while (i < n && strcmp(naive[i].key, key) != 0)
      i++;
    if (i == n) {
      assert_true(n < MAX_RECORDS);
      naive[n++] = (naive_t){.section = naive_section(profile, g), .key = key};
    } else
      free(key);
    int64_t req = dmd_group_bytes(profile, g, g->req);
    naive[i].num += dmd_group_blocks(profile, g);
    naive[i].req += req;
    naive[i].slop += dmd_group_usable(profile, g) - req;
    naive[i].sampled |= g->sampled;
  }
  return n;
}

static bool is_larger(const naive_t *a, const naive_t *b) {
  int64_t more = a->req + a->slop - b->req - b->slop;
  return more != 0 ? more > 0 : a->req > b->req;
}

/* Takes the section's remaining records one at a time: the largest; of equals the one of most
 * requested bytes, and then the first. */
static naive_t *take_largest(naive_t *naive, size_t n, dmd_section_t section) {
  naive_t *largest = NULL;
  for (size_t i = 0; i < n; i++)
    if (naive[i].section == section && naive[i].key != NULL &&
        (largest == NULL || is_larger(&naive[i], largest)))
      largest = &naive[i];
  return largest;
}

static void compare_record(const dmd_records_t *records, const dmd_record_t *r, naive_t *expected,
                           uint32_t max_frames) {
  assert_non_null(expected);
  assert_int_equal(r->num, expected->num);
  assert_int_equal(r->req, expected->req);
  assert_int_equal(r->slop, expected->slop);
  assert_int_equal(r->usable, expected->req + expected->slop);
  assert_int_equal(r->sampled, expected->sampled);
  char *key = naive_key(records->profile, dmd_record_group(records, r, 0), max_frames);
  assert_string_equal(key, expected->key);
  free(key);
  free(expected->key);
  expected->key = NULL;
}

static void compare_records(dmd_profile_t *profile, uint32_t max_frames) {
  dmd_records_t records;
  dmd_records_init(&records, profile, max_frames, DMD_SORT_USABLE);
  naive_t naive[MAX_RECORDS];
  size_t n = group_naively(naive, profile, max_frames), compared = 0;
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    const dmd_section_records_t *s = &records.section[section];
    for (uint32_t i = 0; i < s->n; i++, compared++)
      compare_record(&records, dmd_records_at(&records, s->ids[i]),
                     take_largest(naive, n, (dmd_section_t)section), max_frames);
  }
  assert_int_equal(compared, n);
  dmd_records_destroy(&records);
}

static void records_equal_naive_ones(void **state) {
  (void)state;
  dice_t dice = {2};
  for (int round = 0; round < ROUNDS; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    dmd_profile_t back;
    load_text(&back, fixture_json(&f));
    compare_records(&back, 1 + (uint32_t)dice_below(&dice, 7));
    dmd_profile_destroy(&back);
    fixture_end(&f);
  }
}

/* ---- pieces ---- */

static void any_piece_will_do(void **state) {
  (void)state;
  dice_t dice = {3};
  for (int round = 0; round < ROUNDS / 10; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    add_times_at_random(&f.profile, &dice);
    const char *text = fixture_json(&f);
    dmd_profile_t whole;
    sink_t expected;
    load_text(&whole, text);
    written(&expected, &whole);
    for (size_t piece = 2; piece < 100; piece += 1 + piece / 4) {
      dmd_load_options_t options = {.contents = true, .moment = DMD_MOMENT_ALL};
      dmd_fail_t fail = {0};
      dmd_profile_t back;
      sink_t found;
      dmd_profile_init(&back, &dmdv_env);
      dmdv_input_t *input = dmdv_input_open_memory(text, strlen(text), piece, &fail);
      assert_true(dmdv_load_input(&back, input, &options, &fail));
      assert_text_equal(written(&found, &back), sink_text(&expected));
      dmdv_input_close(input);
      sink_free(&found);
      dmd_profile_destroy(&back);
    }
    sink_free(&expected);
    dmd_profile_destroy(&whole);
    fixture_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(read_back_equal),
      cmocka_unit_test(numbers_of_64_bits_come_back),
      cmocka_unit_test(figures_of_the_peak_stay_without_its_records),
      cmocka_unit_test(either_moment_can_be_had),
      cmocka_unit_test(records_equal_naive_ones),
      cmocka_unit_test(any_piece_will_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
