/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Findings of a profile and of random heap graphs, against what they are chosen from. */
#include "census_fixture.h"

#include "analyse/findings/findings.h"
#include "analyse/graph/owners.h"
#include "fixture.h"

/* ---- Profiles. ---- */

static void expect(const dmd_findings_t *f, uint32_t i, dmd_finding_kind_t kind, int64_t bytes,
                   int64_t blocks) {
  assert_true(i < f->n);
  assert_int_equal(f->all[i].kind, kind);
  assert_int_equal(f->all[i].bytes, bytes);
  assert_int_equal(f->all[i].blocks, blocks);
}

static void build(fixture_t *f) {
  fixture_begin(f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f->profile;
  build_blocks(p, 3, 1000, 0, "malloc (m.c:1)|small (a.c:2)", DMD_NONE);
  build_blocks(p, 1, 40000, 0, "malloc (m.c:1)|large (a.c:3)", DMD_NONE);
  build_blocks(p, 1, 90, 0, "malloc (m.c:1)|tiny (a.c:4)", DMD_NONE);
  build_blocks(p, 2, 9000, 0, "malloc (m.c:1)|both (a.c:5)",
               build_reports(p, 2, "r", "explicit/a", "r", "explicit/b"));
  fixture_records(f, 8, DMD_SORT_USABLE);
}

static void most_bytes_first(void **state) {
  (void)state;
  fixture_t f;
  dmd_findings_t findings;
  build(&f);
  dmd_findings_of_t of = {.records = &f.records, .has_reports = true};
  dmd_findings_init(&findings, &of);
  assert_int_equal(findings.n, 3);
  expect(&findings, 0, DMD_FINDING_UNREPORTED, 40000, 1);
  expect(&findings, 1, DMD_FINDING_TWICE, 18000, 2);
  expect(&findings, 2, DMD_FINDING_UNREPORTED, 3000, 3);
  dmd_findings_destroy(&findings);
  fixture_end(&f);
}

static void places_and_growth(void **state) {
  (void)state;
  fixture_t f;
  dmd_findings_t findings;
  dmd_growth_t growth = {.from_ms = 1000, .to_ms = 11500, .szB_per_s = 2000};
  build(&f);
  dmd_findings_of_t of = {.records = &f.records, .growth = &growth};
  dmd_findings_init(&findings, &of);
  assert_int_equal(findings.n, 3);
  expect(&findings, 0, DMD_FINDING_PLACE, 40000, 1);
  expect(&findings, 1, DMD_FINDING_GROWTH, 21000, 0);
  expect(&findings, 2, DMD_FINDING_PLACE, 3000, 3);
  assert_string_equal(dmd_rows_name(&findings.places, findings.all[2].id), "small (a.c:2)");
  dmd_findings_destroy(&findings);
  fixture_end(&f);
}

/* ---- Heap graphs. ---- */

enum { GRAPHS = 100 };

/* The largest finding of a kind that counts, and matters; UINT32_MAX: none. */
static uint32_t largest(const dmd_waste_t *waste, uint32_t kind, int64_t heap_szB) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < waste->n; i++) {
    const dmd_waste_finding_t *f = dmd_waste_at(waste, i);
    double least = kind == DMD_WASTE_LOST ? 1 : 3;
    if (f->kind == kind && f->counted > 0 && 100 * (double)f->bytes >= least * (double)heap_szB &&
        (best == UINT32_MAX || f->bytes > dmd_waste_at(waste, best)->bytes))
      best = i;
  }
  return best;
}

static void check_waste(const dmd_findings_t *f, const dmd_waste_t *waste, int64_t heap_szB) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n; i++) {
    assert_true(i == 0 || f->all[i].bytes <= f->all[i - 1].bytes);
    if (f->all[i].kind != DMD_FINDING_WASTE)
      continue;
    n++;
    assert_int_equal(f->all[i].id,
                     largest(waste, dmd_waste_at(waste, f->all[i].id)->kind, heap_szB));
  }
  uint32_t kinds = 0;
  for (uint32_t kind = 0; kind < DMD_N_WASTE_KINDS; kind++)
    kinds += largest(waste, kind, heap_szB) != UINT32_MAX;
  assert_int_equal(n, kinds < DMD_FINDINGS_OF_KIND ? kinds : DMD_FINDINGS_OF_KIND);
}

static void the_largest_of_each_kind_of_waste(void **state) {
  (void)state;
  dice_t dice = {.state = 4711};
  for (int i = 0; i < GRAPHS; i++) {
    host_t host;
    keyed_t keyed;
    dmd_records_t records;
    dmd_waste_t waste;
    dmd_findings_t findings;
    const dmd_waste_options_t all = {.kinds = ~0u, .least_szB = 1};
    host_init(&host);
    keyed_random(&keyed, &host.env, &dice);
    dmd_heapgraph_add_groups(&keyed.graph, NULL);
    dmd_records_init(&records, &keyed.graph.profile, 3, DMD_SORT_USABLE);
    dmd_waste_init(&waste, &keyed.keys, &records, &all);
    dmd_findings_of_t of = {.records = &records, .waste = &waste};
    dmd_findings_init(&findings, &of);
    check_waste(&findings, &waste, records.heap.bytes);
    dmd_findings_destroy(&findings);
    dmd_waste_destroy(&waste);
    dmd_records_destroy(&records);
    keyed_end(&keyed);
    host_done(&host);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(most_bytes_first),
      cmocka_unit_test(places_and_growth),
      cmocka_unit_test(the_largest_of_each_kind_of_waste),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
