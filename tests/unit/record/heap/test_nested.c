/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pools and their pieces in a profile: each byte counts once, with the reports of all the blocks
 * that contain it. */
#include "snapshot_fixture.h"

#include <stdio.h>

enum { BASE = 0x10000, MAX_BLOCKS = 40, SPACE = 4096 };

static void announce(snapshot_fixture_t *f, uint64_t addr, uint64_t szB, uint32_t stack,
                     uint32_t flags) {
  dmd_live_add(
      &f->live,
      &(dmd_new_block_t){
          .addr = addr, .req = szB, .usable = szB, .stack = stack, .thread = 1, .flags = flags});
}

static void report(snapshot_fixture_t *f, uint64_t addr, uint32_t stack) {
  dmd_live_report(&f->live, 1, addr, stack, 0, DMD_NONE);
}

/* Usable bytes of the groups that were allocated at a stack and reported so many times. */
static uint64_t bytes_of(const snapshot_fixture_t *f, const char *stack, uint32_t n_reports) {
  uint64_t szB = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&f->profile.groups); id++) {
    const dmd_group_t *g = snapshot_group(f, id);
    uint32_t n =
        g->reports == DMD_NONE ? 0 : dmd_reports_at(&f->profile.reports, g->reports)->count;
    if (n == n_reports && strcmp(snapshot_stack_text(f, g->stack), stack) == 0)
      szB += g->num * (g->req + g->slop);
  }
  return szB;
}

static void pieces_and_the_rest_of_the_pool_add_up(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(&f, BASE, 1000, 1); /* usable 1008 */
  announce(&f, BASE + 100, 200, 2, DMD_BLOCK_ANNOUNCED);
  announce(&f, BASE + 150, 50, 3, DMD_BLOCK_ANNOUNCED); /* in the piece */
  announce(&f, BASE + 900, 60, 4, DMD_BLOCK_ANNOUNCED);
  report(&f, BASE + 150, 50);
  snapshot_take(&f);
  assert_int_equal(bytes_of(&f, "f1", 0), 1008 - 200 - 60);
  assert_int_equal(bytes_of(&f, "f2", 0), 150);
  assert_int_equal(bytes_of(&f, "f3", 1), 50);
  assert_int_equal(bytes_of(&f, "f4", 0), 60);
  assert_int_equal(f.profile.memory.heap_allocated, 1008);
  assert_int_equal(f.profile.run.nested_szB, 200 + 60 + 50);
  snapshot_end(&f);
}

/* A report of the pool covers its pieces; a report of one of these as well is one too many. */
static void reports_of_the_pool_are_the_pieces(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(&f, BASE, 1000, 1);
  announce(&f, BASE + 16, 100, 2, DMD_BLOCK_ANNOUNCED);
  announce(&f, BASE + 200, 30, 3, DMD_BLOCK_ANNOUNCED);
  report(&f, BASE, 50);
  report(&f, BASE + 200, 51);
  snapshot_take(&f);
  assert_int_equal(bytes_of(&f, "f1", 1), 1008 - 130);
  assert_int_equal(bytes_of(&f, "f2", 1), 100);
  assert_int_equal(bytes_of(&f, "f3", 2), 30);
  snapshot_end(&f);
}

/* Both have the pool's address: two reports are one of each, not two of the piece. */
static void a_piece_at_the_pools_address(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(&f, BASE, 1000, 1);
  announce(&f, BASE, 100, 2, DMD_BLOCK_ANNOUNCED);
  assert_int_equal(dmd_live_report(&f.live, 1, BASE, 50, 0, DMD_NONE), 100);
  snapshot_take(&f);
  assert_int_equal(bytes_of(&f, "f1", 0), 908);
  assert_int_equal(bytes_of(&f, "f2", 1), 100);
  assert_int_equal(dmd_live_report(&f.live, 1, BASE, 51, 0, DMD_NONE), 1008);
  assert_int_equal(dmd_live_report(&f.live, 1, BASE, 52, 0, DMD_NONE), 100);
  snapshot_end(&f);
}

/* ---- At random, byte by byte. ---- */

typedef struct {
  uint64_t start, szB;
  uint32_t stack;
  bool is_reported;
} piece_t;

/* Whether the piece lies in one of the first n without crossing its end, or beside them all. */
static bool nests(const piece_t *pieces, int n, const piece_t *piece) {
  uint64_t end = piece->start + piece->szB;
  for (int i = 0; i < n; i++) {
    uint64_t other_end = pieces[i].start + pieces[i].szB;
    bool apart = end <= pieces[i].start || piece->start >= other_end;
    bool within = piece->start > pieces[i].start && end <= other_end;
    if (!apart && !within)
      return false;
  }
  return true;
}

static void random_against_bytes(void **state) {
  (void)state;
  dice_t dice = {11};
  for (int round = 0; round < 200; round++) {
    static piece_t pieces[MAX_BLOCKS];
    static uint64_t expected[MAX_BLOCKS + 1][MAX_BLOCKS + 1];
    int n = 0;
    memset(expected, 0, sizeof expected);
    snapshot_fixture_t f;
    snapshot_begin(&f, DMD_MODE_DARK_MATTER);
    for (int i = 0; i < MAX_BLOCKS; i++) {
      piece_t piece = {.start = dice_below(&dice, SPACE),
                       .szB = 1 + dice_below(&dice, SPACE / (1 + (uint64_t)i)),
                       .stack = (uint32_t)n + 1,
                       .is_reported = dice_below(&dice, 3) == 0};
      if (!nests(pieces, n, &piece))
        continue;
      pieces[n++] = piece;
      announce(&f, BASE + piece.start, piece.szB, piece.stack, n > 1 ? DMD_BLOCK_ANNOUNCED : 0);
      if (piece.is_reported)
        report(&f, BASE + piece.start, 1000 + piece.stack);
    }
    for (uint64_t byte = 0; byte < 2 * SPACE; byte++) {
      uint32_t innermost = 0, n_reports = 0;
      for (int i = 0; i < n; i++)
        if (byte >= pieces[i].start && byte - pieces[i].start < pieces[i].szB) {
          innermost = pieces[i].stack;
          n_reports += pieces[i].is_reported;
        }
      expected[innermost][n_reports]++;
    }
    snapshot_take(&f);
    for (int stack = 1; stack <= n; stack++)
      for (uint32_t reports = 0; reports <= 4; reports++) {
        char text[16];
        snprintf(text, sizeof text, "f%d", stack);
        assert_int_equal(bytes_of(&f, text, reports), expected[stack][reports]);
      }
    snapshot_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_and_the_rest_of_the_pool_add_up),
      cmocka_unit_test(reports_of_the_pool_are_the_pieces),
      cmocka_unit_test(a_piece_at_the_pools_address),
      cmocka_unit_test(random_against_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
