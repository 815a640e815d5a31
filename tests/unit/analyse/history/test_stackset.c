/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sets of records: sums and differences are those of the single records, and arbitrary bytes are a
 * set or are rejected. What two alarms have in common.
 */
#include "fixture.h"

#include "analyse/history/changepoints.h"
#include "analyse/history/stackset.h"
#include "base/wire.h"

enum { STACKS = 40, SECTIONS = 4, TURNS = 200 };

/* The same set as a table, for comparison. */
typedef struct {
  int64_t bytes[STACKS][SECTIONS], blocks[STACKS][SECTIONS];
} plain_t;

static void make(dmd_stackset_t *set, plain_t *plain, const dmd_env_t *env, dice_t *dice) {
  memset(plain, 0, sizeof *plain);
  dmd_stackset_init(set, env, STACKS * SECTIONS);
  for (uint32_t stack = 0; stack < STACKS; stack++)
    for (uint32_t section = 0; section < SECTIONS; section++) {
      if (dice_below(dice, 3) > 0)
        continue;
      int64_t blocks = 1 + (int64_t)dice_below(dice, 3), bytes = blocks * 16;
      set->records[set->n++] = (dmd_stack_record_t){
          .stack = stack, .section = section, .bytes = bytes, .blocks = blocks};
      plain->bytes[stack][section] = bytes;
      plain->blocks[stack][section] = blocks;
    }
}

static void assert_is(const dmd_stackset_t *set, const plain_t *a, const plain_t *b, int sign) {
  size_t n = 0;
  for (int64_t stack = 0; stack < STACKS; stack++)
    for (uint32_t section = 0; section < SECTIONS; section++) {
      int64_t bytes = a->bytes[stack][section] + sign * b->bytes[stack][section];
      int64_t blocks = a->blocks[stack][section] + sign * b->blocks[stack][section];
      if (bytes == 0 && blocks == 0)
        continue;
      assert_true(n < set->n);
      const dmd_stack_record_t *record = &set->records[n++];
      assert_int_equal(record->stack, stack);
      assert_int_equal(record->section, section);
      assert_int_equal(record->bytes, bytes);
      assert_int_equal(record->blocks, blocks);
    }
  assert_int_equal(set->n, n);
}

static void sums_differences_and_bytes(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {3};
  for (int turn = 0; turn < TURNS; turn++) {
    dmd_stackset_t a, b, less, more, again;
    plain_t x, y;
    dmd_strbuf_t bytes;
    make(&a, &x, &host.env, &dice);
    make(&b, &y, &host.env, &dice);
    dmd_stackset_subtract(&less, &a, &b);
    assert_is(&less, &x, &y, -1);
    dmd_stackset_add(&more, &a, &b);
    assert_is(&more, &x, &y, 1);
    dmd_strbuf_init(&bytes, &host.env);
    dmd_stackset_encode(&bytes, &less);
    assert_true(dmd_stackset_decode(&again, &host.env, bytes.text, bytes.n));
    assert_is(&again, &x, &y, -1);
    dmd_stackset_destroy(&again);
    for (size_t n = 0; n < bytes.n; n++) {
      assert_false(dmd_stackset_decode(&again, &host.env, bytes.text, n));
      dmd_stackset_destroy(&again);
    }
    dmd_strbuf_destroy(&bytes);
    dmd_stackset_destroy(&more);
    dmd_stackset_destroy(&less);
    dmd_stackset_destroy(&b);
    dmd_stackset_destroy(&a);
  }
  host_done(&host);
}

static void records_are_found(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {7};
  for (int turn = 0; turn < TURNS; turn++) {
    dmd_stackset_t set;
    plain_t plain;
    make(&set, &plain, &host.env, &dice);
    for (int64_t stack = -1; stack <= STACKS; stack++)
      for (uint32_t section = 0; section < SECTIONS; section++) {
        const dmd_stack_record_t which = {.stack = stack, .section = section};
        const dmd_stack_record_t *found = dmd_stackset_find(&set, &which);
        bool is_there = stack >= 0 && stack < STACKS && plain.blocks[stack][section] != 0;
        assert_int_equal(found != NULL, is_there);
        if (is_there)
          assert_int_equal(found->bytes, plain.bytes[stack][section]);
      }
    dmd_stackset_destroy(&set);
  }
  host_done(&host);
}

static void assert_no_set(host_t *host, const uint64_t *numbers, size_t n) {
  dmd_strbuf_t bytes;
  dmd_stackset_t set;
  dmd_strbuf_init(&bytes, &host->env);
  for (size_t i = 0; i < n; i++)
    dmd_wire_number(&bytes, numbers[i]);
  assert_false(dmd_stackset_decode(&set, &host->env, bytes.text, bytes.n));
  dmd_stackset_destroy(&set);
  dmd_strbuf_destroy(&bytes);
}

static void bytes_that_are_no_set(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  const uint64_t twice[] = {2, 5 << 2 | 1, 2, 2, 0 << 2 | 1, 2, 2}, more[] = {1, 4, 2, 2, 7},
                 many[] = {UINT64_MAX, 4, 2, 2}, sections[] = {2, 5 << 2 | 2, 2, 2, 1, 2, 2};
  assert_no_set(&host, twice, 7);
  assert_no_set(&host, more, 5);
  assert_no_set(&host, many, 4);
  assert_no_set(&host, sections, 7);
  host_done(&host);
}

/* ---- Alarms. ---- */

static void what_belongs_together(void **state) {
  (void)state;
  const dmd_alarm_t heap = {.kind = DMD_METRIC_HEAP,
                            .name = "heap",
                            .moment = "exit",
                            .environment = "a=b\n",
                            .branch = "main",
                            .first_build = "b7",
                            .earliest = "b7",
                            .latest = "b7",
                            .step = {.before = 1000.75, .after = 900.25}};
  dmd_alarm_t other = heap;
  assert_int_equal(dmd_alarm_delta(&heap), -100);
  assert_true(dmd_alarm_is_certain(&heap));
  other.kind = DMD_METRIC_ONCE;
  other.state = DMD_ALARM_ACKNOWLEDGED;
  other.earliest = "b6";
  assert_false(dmd_alarm_is_certain(&other));
  assert_true(dmd_alarm_is_one_event(&heap, &other));
  other.state = DMD_ALARM_IMPROVED;
  assert_false(dmd_alarm_is_one_event(&heap, &other));
  const char **const keys[] = {&other.moment, &other.environment, &other.branch,
                               &other.first_build};
  for (size_t i = 0; i < COUNT_OF(keys); i++) {
    other = heap;
    *keys[i] = "another";
    assert_false(dmd_alarm_is_one_event(&heap, &other));
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dice_t dice = {1};
  dmd_stackset_t a, b, more;
  plain_t plain;
  make(&a, &plain, &host->env, &dice);
  make(&b, &plain, &host->env, &dice);
  dmd_stackset_add(&more, &a, &b);
  dmd_stackset_destroy(&more);
  dmd_stackset_destroy(&b);
  dmd_stackset_destroy(&a);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_differences_and_bytes),
      cmocka_unit_test(records_are_found),
      cmocka_unit_test(bytes_that_are_no_set),
      cmocka_unit_test(what_belongs_together),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
