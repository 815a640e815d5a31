/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_load: a file from a stranger, plain or gzipped. Read whole and in small pieces, it is the
 * same profile or has the same fault at the same place. (In pieces of two bytes no value is
 * complete in the buffer, so all are read from trees.) A profile that was read can be printed in
 * every way, does not differ from itself, and comes out the same when written and read again. A
 * scan's words lead to the same blocks before and after they are clamped.
 */
#include "fuzz.h"

#include "analyse/graph/scangraph.h"
#include "analyse/records/record.h"
#include "analyse/transform/merge.h"
#include "analyse/transform/reduce.h"
#include "host/process.h"
#include "show/text/pieces.h"
#include "show/text/text.h"
#include "show/text/text_rows.h"

#include <string.h>

static void print(dmd_profile_t *profile, const dmd_profile_t *old, uint32_t max_frames,
                  unsigned sort_by) {
  dmd_records_t records;
  dmd_records_init(&records, profile, max_frames, (dmd_sort_by_t)sort_by);
  if (old != NULL)
    dmd_records_drop_unchanged(&records);
  dmd_text_options_t text = {
      .title = "fuzz", .old = old, .new = old, .with_run = true, .max_records = 100};
  const dmd_profile_t *const runs[2] = {profile, old};
  fuzz_text_t printed = {0};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, &printed);
  dmd_text_print(&out, &records, &text);
  dmd_records_json(&out, &records, runs, 0, 0);
  for (dmd_by_t by = DMD_BY_REPORTER; by <= DMD_BY_LIBRARY; by++) {
    dmd_rows_t rows;
    dmd_rows_init(&rows, &records, by, 0);
    dmd_rows_print(&out, &rows, 0);
    dmd_rows_destroy(&rows);
  }
  FUZZ_CHECK(dmd_out_flush(&out));
  fuzz_take_safe(&printed);
  if (old != NULL)
    for (int i = 0; i < DMD_N_SECTIONS; i++)
      FUZZ_CHECK(records.section[i].n == 0);
  dmd_records_destroy(&records);
}

static uint64_t n_blocks(const dmd_profile_t *profile) {
  uint64_t n = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    n += dmd_groups_at(&profile->groups, id)->num;
  return n;
}

static void write_and_read(const dmd_profile_t *profile) {
  fuzz_text_t first = {0}, second = {0}, third = {0};
  dmd_fail_t fail = {0};
  dmd_profile_t again, once_more;
  fuzz_write_json(&first, profile);
  FUZZ_CHECK(fuzz_load(&again, first.bytes, first.n, first.n + 2, &fail));
  /* Groups of traces that have two ids and the same frames become one. */
  FUZZ_CHECK(dmd_groups_count(&again.groups) <= dmd_groups_count(&profile->groups));
  FUZZ_CHECK(n_blocks(&again) == n_blocks(profile));
  fuzz_write_json(&second, &again);
  FUZZ_CHECK(fuzz_load(&once_more, second.bytes, second.n, 64, &fail));
  fuzz_write_json(&third, &once_more);
  fuzz_check_equal(&second, &third);
  dmd_profile_destroy(&once_more);
  dmd_profile_destroy(&again);
  fuzz_text_free(&third);
  fuzz_text_free(&second);
  fuzz_text_free(&first);
}

/* dmdv diff of a profile and itself. */
static void subtract(dmd_profile_t *profile, dmd_profile_t *same) {
  fuzz_text_t printed = {0};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, &printed);
  dmd_changes_t changes;
  dmd_changes_init(&changes, same, profile, 3);
  FUZZ_CHECK(changes.n == 0);
  dmd_changes_print(&out, &changes, 0);
  dmd_changes_destroy(&changes);
  FUZZ_CHECK(dmd_out_flush(&out));
  fuzz_take_safe(&printed);
  dmd_profile_t difference;
  dmd_profile_init(&difference, &dmdv_env);
  difference.mode = profile->mode;
  dmd_difference(&difference, same, profile);
  print(&difference, same, 3, DMD_SORT_USABLE);
  dmd_profile_destroy(&difference);
}

/* Like dmdv print --clamp-contents and dmdv referrers; changes the profile. */
static void clamp(dmd_profile_t *profile) {
  dmd_strbuf_t why;
  dmd_clamped_t clamped;
  dmd_heapgraph_t before, after;
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_scangraph_init(&before, &dmdv_env, profile, &why);
  FUZZ_CHECK(dmd_clamp(profile, &clamped, &why) == good && (why.n == 0) == good);
  if (good) {
    FUZZ_CHECK(dmd_scangraph_init(&after, &dmdv_env, profile, &why));
    FUZZ_CHECK(dmd_graph_n_edges(&before.graph) <= clamped.starts + clamped.interiors);
    FUZZ_CHECK(dmd_graph_n_edges(&before.graph) == dmd_graph_n_edges(&after.graph));
    FUZZ_CHECK(after.interiors.last == 0);
    dmd_heapgraph_destroy(&after);
    dmd_heapgraph_destroy(&before);
  }
  dmd_strbuf_destroy(&why);
}

static void check_same(const dmd_profile_t *a, const dmd_profile_t *b) {
  fuzz_text_t x = {0}, y = {0};
  fuzz_write_json(&x, a);
  fuzz_write_json(&y, b);
  fuzz_check_equal(&x, &y);
  fuzz_text_free(&x);
  fuzz_text_free(&y);
}

/* Loads the same data in pieces of this size. */
static void load_in_pieces(dmd_profile_t *pieces, const uint8_t *data, size_t n, size_t piece,
                           bool good, const dmd_profile_t *whole, const dmd_fail_t *fail_whole) {
  dmd_fail_t fail = {0};
  FUZZ_CHECK(fuzz_load(pieces, data, n, piece, &fail) == good);
  if (good)
    check_same(whole, pieces);
  else
    fuzz_check_same_fail(data, n, fail_whole, &fail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_profile_t whole, trees, pieces;
  dmd_fail_t fail = {0};
  bool good = fuzz_load(&whole, data, n, SIZE_MAX, &fail);
  load_in_pieces(&trees, data, n, 2, good, &whole, &fail);
  load_in_pieces(&pieces, data, n, 2 + n % 37, good, &whole, &fail);
  if (good) {
    write_and_read(&whole);
    print(&whole, NULL, 1 + (uint32_t)n % 5, (unsigned)n % 4);
    clamp(&trees);
    subtract(&whole, &pieces);
  }
  dmd_profile_destroy(&trees);
  dmd_profile_destroy(&pieces);
  dmd_profile_destroy(&whole);
  return 0;
}
