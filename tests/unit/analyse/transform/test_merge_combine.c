/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "analyse/transform/merge.h"

/* ---- A host that knows its peak memory. ---- */

typedef struct {
  host_t host;
  dmd_env_t env;
  size_t most_szB;
} meter_t;

static void *meter_alloc(void *ctx, const char *cost_centre, size_t szB) {
  meter_t *meter = ctx;
  void *p = dmd_env_alloc(&meter->host.env, cost_centre, szB);
  if (meter->host.szB > meter->most_szB)
    meter->most_szB = meter->host.szB;
  return p;
}

static void meter_free(void *ctx, void *p) {
  dmd_env_free(&((meter_t *)ctx)->host.env, p);
}

static void meter_panic(void *ctx, const char *what) {
  meter_t *meter = ctx;
  meter->host.env.panic(meter->host.env.ctx, what);
}

static void meter_init(meter_t *meter) {
  host_init(&meter->host);
  meter->env = meter->host.env;
  meter->env.alloc = meter_alloc;
  meter->env.free = meter_free;
  meter->env.panic = meter_panic;
  meter->env.ctx = meter;
  meter->most_szB = 0;
}

/* ---- Blocks of a few kinds. ---- */

enum { N_STACKS = 4, N_SIZES = 5 };
static const char *const stacks[N_STACKS] = {"f|main", "g|main", "f|g|main", "h|main"};

/* How many blocks of each stack, size and report state there are, old ones negatively. */
typedef int64_t counts_t[N_STACKS][N_SIZES][2];

static void add_random(dmd_profile_t *profile, dice_t *dice, counts_t counts, int64_t sign) {
  /* Ids differ from profile to profile. */
  for (uint64_t i = dice_below(dice, N_STACKS); i < N_STACKS; i++)
    build_stack(profile, stacks[i]);
  for (uint64_t n = dice_below(dice, 60); n > 0; n--) {
    size_t stack = dice_below(dice, N_STACKS), size = dice_below(dice, N_SIZES),
           reported = dice_below(dice, 2);
    int64_t num = 1 + (int64_t)dice_below(dice, 3);
    uint32_t reports =
        reported ? build_reports(profile, 1, "measure|main", "explicit/a", NULL, NULL) : DMD_NONE;
    build_blocks(profile, num, 10 + (int64_t)size, 6, stacks[stack], reports);
    counts[stack][size][reported] += sign * num;
  }
}

/* The record of this allocation stack and report state, or NULL. */
static const dmd_record_t *find(const dmd_records_t *records, size_t stack, bool reported) {
  const dmd_section_records_t *s =
      &records->section[reported ? DMD_SECTION_ONCE : DMD_SECTION_UNREPORTED];
  for (uint32_t i = 0; i < s->n; i++) {
    const dmd_record_t *r = dmd_records_at(records, s->ids[i]);
    size_t n;
    const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
    if (strcmp(frames_text(records->profile, frames, n), stacks[stack]) == 0)
      return r;
  }
  return NULL;
}

static void check_record(const dmd_records_t *records, size_t stack, bool reported,
                         counts_t counts) {
  const dmd_record_t *r = find(records, stack, reported);
  int64_t num = 0, req = 0;
  size_t n_changed = 0, n = 0;
  for (int64_t size = 0; size < N_SIZES; size++) {
    num += counts[stack][size][reported];
    req += counts[stack][size][reported] * (10 + size);
    n_changed += counts[stack][size][reported] != 0;
  }
  assert_int_equal(r == NULL ? 0 : r->num, num);
  assert_int_equal(r == NULL ? 0 : r->req, req);
  if (r != NULL)
    dmd_env_free(records->profile->env, dmd_record_sizes(records, r, &n));
  assert_int_equal(n, n_changed);
}

/* A difference equals the sum of the blocks, whatever came and went; the two profiles may keep
 * theirs. */
static void check_differences(bool beside) {
  dice_t dice = {71};
  for (int round = 0; round < 200; round++) {
    host_t host;
    host_init(&host);
    dmd_profile_t old, new, difference;
    counts_t counts = {0};
    dmd_profile_init(&old, &host.env);
    dmd_profile_init(&new, &host.env);
    dmd_profile_init(&difference, &host.env);
    add_random(&old, &dice, counts, -1);
    add_random(&new, &dice, counts, 1);
    uint32_t n_old = dmd_groups_count(&old.groups), n_new = dmd_groups_count(&new.groups);
    if (beside)
      dmd_difference_beside(&difference, &old, &new);
    else
      dmd_difference(&difference, &old, &new);
    assert_int_equal(dmd_groups_count(&old.groups), beside ? n_old : 0);
    assert_int_equal(dmd_groups_count(&new.groups), beside ? n_new : 0);
    dmd_records_t records;
    dmd_records_init(&records, &difference, 8, DMD_SORT_USABLE);
    for (size_t stack = 0; stack < N_STACKS; stack++) {
      check_record(&records, stack, false, counts);
      check_record(&records, stack, true, counts);
    }
    dmd_records_destroy(&records);
    dmd_profile_destroy(&difference);
    dmd_profile_destroy(&new);
    dmd_profile_destroy(&old);
    host_done(&host);
  }
}

static void random_against_counts(void **state) {
  (void)state;
  check_differences(false);
  check_differences(true);
}

/* While the groups of two profiles become one's, there is never much more than those of the two. */
static void no_more_memory(void **state) {
  (void)state;
  enum { N = 100 * DMD_POOL_SEGMENT };
  static meter_t meter;
  meter_init(&meter);
  dmd_profile_t old, new, difference;
  dmd_profile_init(&old, &meter.env);
  dmd_profile_init(&new, &meter.env);
  dmd_profile_init(&difference, &meter.env);
  for (uint32_t i = 0; i < N; i++) {
    dmd_groups_add(&old.groups, &(dmd_group_t){.req = i, .num = 1});
    dmd_groups_add(&new.groups, &(dmd_group_t){.req = i + N / 2, .num = 1});
  }
  dmd_groups_finish(&old.groups);
  dmd_groups_finish(&new.groups);
  size_t before = meter.host.szB;
  meter.most_szB = before;
  dmd_difference(&difference, &old, &new);
  assert_int_equal(dmd_groups_count(&difference.groups), 2 * N);
  assert_in_range(meter.most_szB, before, before + before / 50);
  dmd_profile_destroy(&difference);
  dmd_profile_destroy(&new);
  dmd_profile_destroy(&old);
  host_done(&meter.host);
}

/* A group joins an equal one, whatever ids its parts have in the other profile. */
static void equal_groups_join(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *to = &f.profile, *from = &f.other;
  build_tagged(to, 1, 16, 0, "f|main", DMD_NONE, "t");
  build_tagged(from, 5, 16, 0, "g|main", DMD_NONE, "other");
  for (int64_t i = 0; i < 200; i++)
    build_tagged(from, 2, i, 0, "f|main", DMD_NONE, "t");
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, to, from, NULL, NULL);
  dmd_combine(&ids);
  dmd_translation_destroy(&ids);
  assert_int_equal(dmd_groups_count(&to->groups), 201);
  assert_int_equal(dmd_groups_at(&to->groups, 1)->num, 3);
  assert_int_equal(dmd_groups_at(&to->groups, 2)->num, 5);
  assert_int_equal(dmd_groups_count(&from->groups), 201);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_counts),
      cmocka_unit_test(no_more_memory),
      cmocka_unit_test(equal_groups_join),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
