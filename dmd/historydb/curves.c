/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/curves.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/limits/ttest.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "historydb/database.h"
#include "host/process.h"

/* ---- Runs. ---- */

/* All runs of a history, in the order of its curves.
 *
 * A run here is one file that was added: one process of one launch of the program. The runs of one
 * moment, environment and branch form a line. They are adjacent, in the order of builds, and within
 * a build the runs of one launch are adjacent. */

/* Equal texts have equal addresses. */
typedef struct dmdv_run {
  int64_t environment, build, time; /* ids; when the build was made */
  const char *moment, *environment_lines, *branch, *build_name, *launch;
  uint32_t process, line; /* numbers, from 1 */
} dmdv_run_t;

typedef struct dmdv_runs {
  dmd_intern_t texts, processes;
  dmd_pool_t runs;           /* dmdv_run_t */
  dmd_pool_t have_processes; /* by line: a uint32_t, whether a build of it has several processes */
  dmd_map_t by_id;           /* the number of a run, as a pointer */
  dmd_strbuf_t ids;          /* for {numbers} */
} dmdv_runs_t;

static inline uint32_t dmdv_runs_count(const dmdv_runs_t *runs) {
  return runs->runs.last;
}

/* The run with this number, from 1; the number of the run with this id, 0 if it is unknown. */
static inline const dmdv_run_t *dmdv_runs_at(const dmdv_runs_t *runs, uint32_t number) {
  return DMD_POOL_AT(&runs->runs, const dmdv_run_t, number);
}

static inline uint32_t dmdv_runs_find(const dmdv_runs_t *runs, int64_t id) {
  return (uint32_t)(uintptr_t)dmd_map_find(&runs->by_id, (uint64_t)id);
}

static inline bool dmdv_runs_have_processes(const dmdv_runs_t *runs, uint32_t line) {
  return *DMD_POOL_AT(&runs->have_processes, const uint32_t, line) != 0;
}

/* Columns of DMDV_SQL_RUNS. */
enum { RUN_ID, MOMENT, ENVIRONMENT, LINES, BRANCH, BUILD, BUILD_NAME, TIME, LAUNCH, PROCESS };

static const char *keep(dmdv_runs_t *runs, const char *text) {
  return dmd_intern_get_str(&runs->texts, dmd_intern_str(&runs->texts, text));
}

static bool is_same_line(const dmdv_run_t *a, const dmdv_run_t *b) {
  return a->moment == b->moment && a->environment == b->environment && a->branch == b->branch;
}

/* Numbers the lines, and notes which ones have several processes in a build. */
static void set_line(dmdv_runs_t *runs, dmdv_run_t *run, const dmdv_run_t *before) {
  bool is_same = before != NULL && is_same_line(before, run);
  if (!is_same)
    dmd_pool_reach(&runs->have_processes, runs->have_processes.last + 1);
  run->line = runs->have_processes.last;
  if (is_same && before->build == run->build && before->process != run->process)
    *DMD_POOL_AT(&runs->have_processes, uint32_t, run->line) = 1;
}

static void add_run(dmdv_runs_t *runs, dmdv_database_t *db) {
  uint32_t number = dmd_pool_add(&runs->runs);
  int64_t id = dmdv_sql_column_int(db, RUN_ID);
  dmdv_run_t *run = DMD_POOL_AT(&runs->runs, dmdv_run_t, number);
  *run =
      (dmdv_run_t){.environment = dmdv_sql_column_int(db, ENVIRONMENT),
                   .build = dmdv_sql_column_int(db, BUILD),
                   .time = dmdv_sql_column_int(db, TIME),
                   .moment = keep(runs, dmdv_sql_column_text(db, MOMENT)),
                   .environment_lines = keep(runs, dmdv_sql_column_text(db, LINES)),
                   .branch = keep(runs, dmdv_sql_column_text(db, BRANCH)),
                   .build_name = keep(runs, dmdv_sql_column_text(db, BUILD_NAME)),
                   .launch = keep(runs, dmdv_sql_column_text(db, LAUNCH)),
                   .process = dmd_intern_str(&runs->processes, dmdv_sql_column_text(db, PROCESS))};
  set_line(runs, run, number > 1 ? dmdv_runs_at(runs, number - 1) : NULL);
  dmd_map_add(&runs->by_id, (uint64_t)id, (void *)(uintptr_t)number);
  dmdv_sql_append_number(&runs->ids, id);
}

/* False, with the reason on stderr; destroy them either way. */
static bool runs_load(dmdv_runs_t *runs, dmdv_database_t *db, int64_t most) {
  dmdv_sql_step_t step;
  dmd_intern_init(&runs->texts, &dmdv_env, "dmdv.runs");
  dmd_intern_init(&runs->processes, &dmdv_env, "dmdv.runs");
  dmd_pool_init(&runs->runs, &dmdv_env, "dmdv.runs", sizeof(dmdv_run_t));
  dmd_pool_init(&runs->have_processes, &dmdv_env, "dmdv.runs", sizeof(uint32_t));
  dmd_map_init(&runs->by_id, &dmdv_env, "dmdv.runs");
  dmd_strbuf_init(&runs->ids, &dmdv_env);
  dmdv_sql_start(db, DMDV_SQL_RUNS);
  dmdv_sql_int(db, most);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW)
    add_run(runs, db);
  return step == DMDV_SQL_DONE;
}

static void runs_destroy(dmdv_runs_t *runs) {
  dmd_strbuf_destroy(&runs->ids);
  dmd_map_destroy(&runs->by_id);
  dmd_pool_destroy(&runs->have_processes);
  dmd_pool_destroy(&runs->runs);
  dmd_intern_destroy(&runs->processes);
  dmd_intern_destroy(&runs->texts);
}

/* ---- Curves. ---- */

/* Columns of DMDV_SQL_VALUES and DMDV_SQL_VALUES_OF. */
enum { SERIES, RUN, VALUE };

/* Columns of DMDV_SQL_SERIES and DMDV_SQL_SERIES_OF. */
enum { ID, KIND, NAME };

static const char of[] = " of ";

typedef struct {
  uint32_t run; /* its number */
  int64_t value;
} entry_t;

/* A history may have a million of them. */
typedef struct {
  int64_t id;
  uint64_t kind, name; /* offsets in `texts` */
} series_t;

/* The arrays have room for the values of all runs. */
typedef struct {
  dmdv_runs_t runs;
  dmd_pool_t all_series; /* series_t, by id */
  dmd_strbuf_t texts;    /* of the series, each with a NUL */
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

static uint64_t add_text(reading_t *r, const char *text) {
  uint64_t at = r->texts.n;
  dmd_strbuf_bytes(&r->texts, text, strlen(text) + 1);
  return at;
}

/* Reads the rows of the statement that was started. */
static bool load_series(reading_t *r, dmdv_database_t *db) {
  dmdv_sql_step_t step;
  dmd_pool_rewind(&r->all_series);
  dmd_strbuf_cut(&r->texts, 0);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    uint32_t number = dmd_pool_add(&r->all_series);
    *DMD_POOL_AT(&r->all_series, series_t, number) =
        (series_t){.id = dmdv_sql_column_int(db, ID),
                   .kind = add_text(r, dmdv_sql_column_text(db, KIND)),
                   .name = add_text(r, dmdv_sql_column_text(db, NAME))};
  }
  return step == DMDV_SQL_DONE;
}

/* NULL: it came after they were loaded. */
static const series_t *find_series(const reading_t *r, int64_t id) {
  uint32_t first = 1, end = r->all_series.last + 1;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    const series_t *series = DMD_POOL_AT(&r->all_series, const series_t, middle);
    if (series->id == id)
      return series;
    if (series->id < id)
      first = middle + 1;
    else
      end = middle;
  }
  return NULL;
}

static void begin_series(reading_t *r, int64_t id) {
  const series_t *series = find_series(r, id);
  const char *kind = series != NULL ? r->texts.text + series->kind : "";
  const char *name = series != NULL ? r->texts.text + series->name : "";
  r->series = id;
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
      begin_series(r, dmdv_sql_column_int(db, SERIES));
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

static bool begin(reading_t *r, dmdv_database_t *db, int64_t most,
                  void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx) {
  *r = (reading_t){.visit = visit, .ctx = ctx};
  bool good = runs_load(&r->runs, db, most);
  dmd_pool_init(&r->all_series, &dmdv_env, "dmdv.curves", sizeof(series_t));
  dmd_strbuf_init(&r->texts, &dmdv_env);
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
  dmd_strbuf_destroy(&r->texts);
  dmd_pool_destroy(&r->all_series);
  runs_destroy(&r->runs);
}

bool dmdv_curves_visit(dmdv_database_t *db, int64_t most,
                       void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx) {
  reading_t r;
  bool good = begin(&r, db, most, visit, ctx);
  r.all_processes = true;
  if (good) {
    dmdv_sql_start(db, DMDV_SQL_SERIES);
    good = load_series(&r, db);
  }
  if (good) {
    dmdv_sql_start(db, DMDV_SQL_VALUES);
    dmdv_sql_text(db, r.runs.ids.text);
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
  dmdv_sql_start(db, DMDV_SQL_SERIES_OF);
  dmdv_sql_text(db, text.text);
  dmdv_sql_text(db, rest);
  bool good = load_series(r, db);
  if (good) {
    dmdv_sql_start(db, DMDV_SQL_VALUES_OF);
    dmdv_sql_text(db, text.text);
    dmdv_sql_text(db, rest);
    good = read_values(r, db);
  }
  dmd_strbuf_destroy(&text);
  return good;
}

bool dmdv_curves_visit_named(dmdv_database_t *db, const char *name,
                             void (*visit)(void *ctx, const dmdv_curve_t *curve), void *ctx) {
  reading_t r;
  size_t n = strlen(name);
  bool good = begin(&r, db, DMDV_CURVE_ALL, visit, ctx) && read_named(&r, db, name, n);
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
