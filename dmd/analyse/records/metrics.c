/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/metrics.h"

#include "analyse/records/rows.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/profile/measured.h"

static const char *const names[DMD_N_FIGURES] = {
    [DMD_METRIC_HEAP] = "heap",
    [DMD_METRIC_UNREPORTED] = "unreported",
    [DMD_METRIC_ONCE] = "once",
    [DMD_METRIC_TWICE] = "twice",
    [DMD_METRIC_EXCESS] = "excess",
    [DMD_METRIC_RESIDENT] = "resident",
    [DMD_METRIC_FAULTS] = "faults",
    [DMD_METRIC_REPORTER] = "reporter",
    [DMD_METRIC_TAG] = "tag",
    [DMD_METRIC_LIBRARY] = "library",
    [DMD_METRIC_PEAK] = "peak",
    [DMD_METRIC_WASTE] = "waste",
    [DMD_METRIC_RESIDENT_PEAK] = "peak-resident",
};

const char *dmd_metric_kind_name(dmd_metric_kind_t kind) {
  return names[kind];
}

dmd_metric_kind_t dmd_metric_kind_of(const char *name) {
  dmd_metric_kind_t kind = 0;
  while (kind < DMD_N_FIGURES && !dmd_str_equal(names[kind], name))
    kind++;
  return kind;
}

const char *dmd_metrics_moment(const dmd_profile_t *profile) {
  const char *label = profile->run.label;
  return label == NULL || label[0] == '\0' ? "exit" : label;
}

typedef struct {
  const dmd_records_t *records;
  dmd_metric_fn visit;
  void *visitor;
} walk_t;

/* ---- Totals. ---- */

static void visit_sections(const walk_t *w) {
  static const struct {
    dmd_section_t section;
    dmd_metric_kind_t kind;
  } kinds[] = {{DMD_SECTION_UNREPORTED, DMD_METRIC_UNREPORTED},
               {DMD_SECTION_ONCE, DMD_METRIC_ONCE},
               {DMD_SECTION_TWICE, DMD_METRIC_TWICE}};
  w->visit(w->visitor, DMD_METRIC_HEAP, "", w->records->heap.bytes);
  if (w->records->profile->mode != DMD_MODE_DARK_MATTER)
    return;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    w->visit(w->visitor, kinds[i].kind, "", w->records->section[kinds[i].section].sum.bytes);
  w->visit(w->visitor, DMD_METRIC_EXCESS, "", w->records->section[DMD_SECTION_TWICE].excess);
}

static void visit_process(const walk_t *w) {
  const dmd_profile_t *profile = w->records->profile;
  if (profile->memory.resident != DMD_MEMORY_UNKNOWN)
    w->visit(w->visitor, DMD_METRIC_RESIDENT, "", (int64_t)profile->memory.resident);
  if (profile->run.peak.is_known)
    w->visit(w->visitor, DMD_METRIC_PEAK, "", (int64_t)profile->run.peak.szB);
  if (profile->run.most_resident_szB > 0)
    w->visit(w->visitor, DMD_METRIC_RESIDENT_PEAK, "", (int64_t)profile->run.most_resident_szB);
  if (!profile->run.is_known)
    return;
  int64_t n_faults = 0;
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    n_faults += (int64_t)dmd_faults_at(&profile->faults, id)->num;
  w->visit(w->visitor, DMD_METRIC_FAULTS, "", n_faults);
}

/* ---- Parts. ---- */

/* Rows of blocks without a name have a text in parentheses. */
static bool has_name(const char *name) {
  return name[0] != '(' && name[0] != '\0';
}

static void visit_rows(const walk_t *w, dmd_by_t by, dmd_metric_kind_t kind) {
  dmd_rows_t rows;
  dmd_rows_init(&rows, w->records, by, 0);
  for (uint32_t i = 0; i < rows.n; i++)
    if (has_name(dmd_rows_name(&rows, i)))
      w->visit(w->visitor, kind, dmd_rows_name(&rows, i), dmd_rows_at(&rows, i)->total);
  dmd_rows_destroy(&rows);
}

/* Adds a path's value to the path and all its parents. */
static void add_to_paths(dmd_intern_t *paths, dmd_pool_t *sums, const char *path, int64_t value) {
  for (size_t n = dmd_str_length(path); n > 0; n--)
    if (path[n] == '\0' || path[n] == '/') {
      uint32_t id = dmd_intern_bytes(paths, path, n);
      dmd_pool_reach(sums, id);
      *DMD_POOL_AT(sums, int64_t, id) += value;
    }
}

/* The sums are those of dmdv tree (model/profile/measured.h), so that both say the same. */
static void visit_paths(const walk_t *w) {
  const dmd_profile_t *profile = w->records->profile;
  dmd_intern_t paths;
  dmd_pool_t sums;
  dmd_intern_init(&paths, profile->env, "dmd.figures");
  dmd_pool_init(&sums, profile->env, "dmd.figures", sizeof(int64_t));
  dmd_measured_t measured;
  dmd_measured_init(&measured, profile);
  for (uint32_t i = 0; i < measured.n; i++) {
    const char *path = dmd_intern_get_str(&profile->names, measured.order[i]);
    if (has_name(path))
      add_to_paths(&paths, &sums, path, measured.by_reporter[measured.order[i]]);
  }
  dmd_measured_destroy(&measured);
  for (uint32_t id = 1; id <= dmd_intern_count(&paths); id++)
    w->visit(w->visitor, DMD_METRIC_REPORTER, dmd_intern_get_str(&paths, id),
             *DMD_POOL_AT(&sums, int64_t, id));
  dmd_pool_destroy(&sums);
  dmd_intern_destroy(&paths);
}

void dmd_metrics_visit(dmd_profile_t *profile, dmd_metric_fn visit, void *visitor) {
  enum { WHOLE_STACKS = 1 << 16 };
  dmd_records_t records;
  dmd_records_init(&records, profile, WHOLE_STACKS, DMD_SORT_USABLE);
  walk_t w = {&records, visit, visitor};
  visit_sections(&w);
  visit_process(&w);
  visit_paths(&w);
  visit_rows(&w, DMD_BY_TAG, DMD_METRIC_TAG);
  visit_rows(&w, DMD_BY_LIBRARY, DMD_METRIC_LIBRARY);
  dmd_records_destroy(&records);
}
