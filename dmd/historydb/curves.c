/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/curves.h"

#include "analyse/limits/ttest.h"
#include "base/strbuf.h"
#include "historydb/runs.h"
#include "host/process.h"

#include <stdlib.h>
#include <string.h>

/* Columns of DMDV_SQL_VALUES and DMDV_SQL_VALUES_OF. */
enum { SERIES, KIND, NAME, RUN, VALUE };

static const char of[] = " of ";

typedef struct {
  uint32_t run; /* its number */
  int64_t value;
} entry_t;

/* The arrays have room for the values of all runs. */
typedef struct {
  dmdv_runs_t runs;
  void (*visit)(void *ctx, const dmdv_curve_t *curve);
  void *ctx;
  bool all_processes; /* whether to make curves of all processes together, of each, or of one */
  uint32_t process;   /* 0: all together */
  int64_t series;     /* the one being read */
  dmd_metric_kind_t kind;
  dmd_strbuf_t name;
  entry_t *entries; /* its values */
  uint32_t n_entries;
  dmdv_curve_build_t *builds; /* of one curve, as are the next two */
  dmd_point_t *points;
  int64_t *values;
} reading_t;

/* ---- One curve. ---- */

static void end_point(reading_t *r, uint32_t point, uint32_t first, uint32_t end) {
  dmd_scatter_t scatter = dmd_scatter_of(r->values + first, end - first);
  r->points[point] = (dmd_point_t){scatter.mean, end - first, scatter.deviation};
}

/* Makes the points of n entries of one line. process: 0 for all together. Returns their number. */
static uint32_t make_points(reading_t *r, const entry_t *entries, uint32_t n, uint32_t process) {
  uint32_t n_builds = 0, n_values = 0, first = 0;
  const char *launch = NULL;
  for (uint32_t i = 0; i < n; i++) {
    const dmdv_run_t *run = dmdv_runs_at(&r->runs, entries[i].run);
    if (process != 0 && run->process != process)
      continue;
    if (n_builds == 0 || r->builds[n_builds - 1].id != run->build) {
      if (n_builds > 0)
        end_point(r, n_builds - 1, first, n_values);
      r->builds[n_builds++] = (dmdv_curve_build_t){run->build, run->time, run->build_name};
      first = n_values;
      launch = NULL;
    }
    if (run->launch != launch)
      r->values[n_values++] = 0;
    launch = run->launch;
    r->values[n_values - 1] =
        (int64_t)((uint64_t)r->values[n_values - 1] + (uint64_t)entries[i].value);
  }
  if (n_builds > 0)
    end_point(r, n_builds - 1, first, n_values);
  return n_builds;
}

static void visit_curve(reading_t *r, const entry_t *entries, uint32_t n, uint32_t process) {
  const dmdv_run_t *run = dmdv_runs_at(&r->runs, entries[0].run);
  const char *name = process == 0 ? "" : dmd_intern_get_str(&r->runs.processes, process);
  uint32_t n_points = make_points(r, entries, n, process);
  if (n_points == 0)
    return;
  size_t length = r->name.n;
  if (process != 0) {
    dmd_strbuf_str(&r->name, of);
    dmd_strbuf_str(&r->name, name);
  }
  const dmdv_curve_t curve = {.series = r->series,
                              .environment = run->environment,
                              .kind = r->kind,
                              .name = r->name.text,
                              .process = name,
                              .moment = run->moment,
                              .environment_lines = run->environment_lines,
                              .branch = run->branch,
                              .builds = r->builds,
                              .points = r->points,
                              .values = r->values,
                              .n = n_points};
  r->visit(r->ctx, &curve);
  dmd_strbuf_cut(&r->name, length);
}

/* ---- One series. ---- */

static int compare_entries(const void *a, const void *b) {
  uint32_t x = ((const entry_t *)a)->run, y = ((const entry_t *)b)->run;
  return (x > y) - (x < y);
}

static uint32_t line_of(const reading_t *r, uint32_t entry) {
  return dmdv_runs_at(&r->runs, r->entries[entry].run)->line;
}

static void visit_line(reading_t *r, uint32_t first, uint32_t n) {
  const entry_t *entries = r->entries + first;
  bool has_processes = dmdv_runs_have_processes(&r->runs, line_of(r, first));
  if (r->all_processes || r->process == 0)
    visit_curve(r, entries, n, 0);
  if (!has_processes)
    return;
  if (r->process != 0)
    visit_curve(r, entries, n, r->process);
  for (uint32_t p = 1; p <= dmd_intern_count(&r->runs.processes) && r->all_processes; p++)
    visit_curve(r, entries, n, p);
}

static void end_series(reading_t *r) {
  qsort(r->entries, r->n_entries, sizeof *r->entries, compare_entries);
  for (uint32_t i = 0, first = 0; i < r->n_entries; i++)
    if (i + 1 == r->n_entries || line_of(r, i + 1) != line_of(r, first)) {
      visit_line(r, first, i + 1 - first);
      first = i + 1;
    }
  r->n_entries = 0;
}

static void begin_series(reading_t *r, dmdv_database_t *db) {
  const char *kind = dmdv_sql_column_text(db, KIND), *name = dmdv_sql_column_text(db, NAME);
  r->series = dmdv_sql_column_int(db, SERIES);
  r->kind = dmd_metric_kind_of(kind);
  dmd_strbuf_cut(&r->name, 0);
  dmd_strbuf_str(&r->name, kind);
  if (name[0] != '\0') {
    dmd_strbuf_str(&r->name, " ");
    dmd_strbuf_str(&r->name, name);
  }
}

/* ---- A statement's rows, series by series. ---- */

static bool read_values(reading_t *r, dmdv_database_t *db) {
  dmdv_sql_step_t step;
  r->series = 0;
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    if (dmdv_sql_column_int(db, SERIES) != r->series) {
      end_series(r);
      begin_series(r, db);
    }
    uint32_t run = dmdv_runs_find(&r->runs, dmdv_sql_column_int(db, RUN));
    if (run != 0 && r->kind != DMD_N_FIGURES && r->n_entries < dmdv_runs_count(&r->runs))
      r->entries[r->n_entries++] = (entry_t){run, dmdv_sql_column_int(db, VALUE)};
  }
  if (step == DMDV_SQL_DONE)
    end_series(r);
  return step == DMDV_SQL_DONE;
}

static void *array_of(const reading_t *r, size_t element_szB) {
  return dmd_env_alloc(&dmdv_env, "dmdv.curves",
                       ((size_t)dmdv_runs_count(&r->runs) + 1) * element_szB);
}

static bool begin(reading_t *r, dmdv_database_t *db,
                  void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx) {
  *r = (reading_t){.visit = visit, .ctx = ctx};
  bool good = dmdv_runs_load(&r->runs, db);
  dmd_strbuf_init(&r->name, &dmdv_env);
  r->entries = array_of(r, sizeof *r->entries);
  r->builds = array_of(r, sizeof *r->builds);
  r->points = array_of(r, sizeof *r->points);
  r->values = array_of(r, sizeof *r->values);
  return good;
}

static void end(reading_t *r) {
  dmd_env_free(&dmdv_env, r->values);
  dmd_env_free(&dmdv_env, r->points);
  dmd_env_free(&dmdv_env, r->builds);
  dmd_env_free(&dmdv_env, r->entries);
  dmd_strbuf_destroy(&r->name);
  dmdv_runs_destroy(&r->runs);
}

bool dmdv_curves_visit(dmdv_database_t *db, void (*visit)(void *ctx, const dmdv_curve_t *curve),
                       void *ctx) {
  reading_t r;
  bool good = begin(&r, db, visit, ctx);
  r.all_processes = true;
  if (good) {
    dmdv_sql_start(db, DMDV_SQL_VALUES);
    good = read_values(&r, db);
  }
  end(&r);
  return good;
}

/* Reads the series whose kind and name are the first n bytes of name, for the process set in r. */
static bool read_named(reading_t *r, dmdv_database_t *db, const char *name, size_t n) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_bytes(&text, name, n);
  size_t kind = strcspn(text.text, " ");
  const char *rest = text.text + kind + (kind < n);
  text.text[kind] = '\0';
  dmdv_sql_start(db, DMDV_SQL_VALUES_OF);
  dmdv_sql_text(db, text.text);
  dmdv_sql_text(db, rest);
  bool good = read_values(r, db);
  dmd_strbuf_destroy(&text);
  return good;
}

bool dmdv_curves_visit_named(dmdv_database_t *db, const char *name,
                             void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx) {
  reading_t r;
  size_t n = strlen(name);
  bool good = begin(&r, db, visit, ctx) && read_named(&r, db, name, n);
  for (uint32_t p = 1; p <= dmd_intern_count(&r.runs.processes) && good; p++) {
    const char *process = dmd_intern_get_str(&r.runs.processes, p);
    size_t tail = sizeof of - 1 + strlen(process);
    if (tail >= n || strcmp(name + n - strlen(process), process) != 0 ||
        strncmp(name + n - tail, of, sizeof of - 1) != 0)
      continue;
    r.process = p;
    good = read_named(&r, db, name, n - tail);
  }
  end(&r);
  return good;
}

dmd_changepoint_t *dmdv_curve_steps(const dmdv_curve_t *curve, dmd_changepoints_limits_t limits,
                                    uint32_t *n) {
  if (curve->kind == DMD_METRIC_FAULTS)
    limits.least = 1;
  return dmd_changepoints_find(&dmdv_env, curve->points, curve->n, limits, n);
}
