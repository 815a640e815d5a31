/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/history/curves.h"

#include "analysis/student.h"
#include "base/intern.h"
#include "base/strbuf.h"
#include "reader/host/host.h"

#include <string.h>

/* Columns of DMDV_SQL_POINTS. */
enum { SERIES, KIND, NAME, MOMENT, ENVIRONMENT, LINES, BRANCH, BUILD, BUILD_NAME, TIME, VALUE };

/* A curve that is being read. Texts are kept by `texts`, which the next curve empties. */
typedef struct {
  dmdv_curve_t curve;
  dmd_intern_t texts;
  dmd_strbuf_t builds, points, values; /* arrays: of builds, points, and the runs' values */
  size_t n_before;                     /* values of the builds before the last one */
} reading_t;

static void begin(reading_t *r) {
  r->curve = (dmdv_curve_t){.n = 0};
  dmd_intern_init(&r->texts, &dmdv_env, "dmdv.curves");
  dmd_strbuf_cut(&r->builds, 0);
  dmd_strbuf_cut(&r->points, 0);
  dmd_strbuf_cut(&r->values, 0);
  r->n_before = 0;
}

static const char *keep(reading_t *r, const char *text) {
  return dmd_intern_get_str(&r->texts, dmd_intern_str(&r->texts, text));
}

/* The runs of the last build make its point. */
static void end_build(reading_t *r) {
  size_t n = r->values.n / sizeof(int64_t) - r->n_before;
  if (n == 0)
    return;
  int64_t *values = dmd_env_alloc(&dmdv_env, "dmdv.curves", n * sizeof *values);
  memcpy(values, r->values.text + r->n_before * sizeof *values, n * sizeof *values);
  dmd_scatter_t scatter = dmd_scatter_of(values, n);
  dmd_point_t point = {scatter.mean, (uint32_t)n, scatter.deviation};
  dmd_strbuf_bytes(&r->points, (const char *)&point, sizeof point);
  r->n_before += n;
  dmd_env_free(&dmdv_env, values);
}

/* Where what it holds is aligned. */
static void *copy_of(const dmd_strbuf_t *array) {
  void *copy = dmd_env_alloc(&dmdv_env, "dmdv.curves", array->n);
  memcpy(copy, array->text, array->n);
  return copy;
}

static void end_curve(reading_t *r, void (*visit)(void *ctx, const dmdv_curve_t *curve),
                      void *ctx) {
  end_build(r);
  r->curve.n = (uint32_t)(r->points.n / sizeof(dmd_point_t));
  if (r->curve.n == 0)
    return;
  void *builds = copy_of(&r->builds), *points = copy_of(&r->points), *values = copy_of(&r->values);
  r->curve.builds = builds;
  r->curve.points = points;
  r->curve.values = values;
  visit(ctx, &r->curve);
  dmd_env_free(&dmdv_env, values);
  dmd_env_free(&dmdv_env, points);
  dmd_env_free(&dmdv_env, builds);
}

static bool is_same_curve(const reading_t *r, dmdv_database_t *db) {
  const dmdv_curve_t *c = &r->curve;
  return c->series == dmdv_sql_column_int(db, SERIES) &&
         c->environment == dmdv_sql_column_int(db, ENVIRONMENT) &&
         strcmp(c->moment, dmdv_sql_column_text(db, MOMENT)) == 0 &&
         strcmp(c->branch, dmdv_sql_column_text(db, BRANCH)) == 0;
}

static void begin_curve(reading_t *r, dmdv_database_t *db) {
  begin(r);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_str(&name, dmdv_sql_column_text(db, KIND));
  if (dmdv_sql_column_text(db, NAME)[0] != '\0') {
    dmd_strbuf_str(&name, " ");
    dmd_strbuf_str(&name, dmdv_sql_column_text(db, NAME));
  }
  r->curve = (dmdv_curve_t){.series = dmdv_sql_column_int(db, SERIES),
                            .environment = dmdv_sql_column_int(db, ENVIRONMENT),
                            .kind = dmd_figure_kind_of(dmdv_sql_column_text(db, KIND)),
                            .name = keep(r, name.text),
                            .moment = keep(r, dmdv_sql_column_text(db, MOMENT)),
                            .environment_lines = keep(r, dmdv_sql_column_text(db, LINES)),
                            .branch = keep(r, dmdv_sql_column_text(db, BRANCH))};
  dmd_strbuf_destroy(&name);
}

static void add_value(reading_t *r, dmdv_database_t *db, int64_t *last_build) {
  int64_t value = dmdv_sql_column_int(db, VALUE);
  if (r->builds.n == 0 || *last_build != dmdv_sql_column_int(db, BUILD)) {
    end_build(r);
    dmdv_curve_build_t build = {.id = dmdv_sql_column_int(db, BUILD),
                                .time = dmdv_sql_column_int(db, TIME),
                                .name = keep(r, dmdv_sql_column_text(db, BUILD_NAME))};
    dmd_strbuf_bytes(&r->builds, (const char *)&build, sizeof build);
    *last_build = build.id;
  }
  dmd_strbuf_bytes(&r->values, (const char *)&value, sizeof value);
}

bool dmdv_curves_visit(dmdv_database_t *db, void (*visit)(void *ctx, const dmdv_curve_t *curve),
                       void *ctx) {
  reading_t r;
  int64_t last_build = 0;
  bool any = false;
  dmdv_sql_step_t step;
  dmd_strbuf_init(&r.builds, &dmdv_env);
  dmd_strbuf_init(&r.points, &dmdv_env);
  dmd_strbuf_init(&r.values, &dmdv_env);
  dmdv_sql_start(db, DMDV_SQL_POINTS);
  while ((step = dmdv_sql_step(db)) == DMDV_SQL_ROW) {
    if (!any || !is_same_curve(&r, db)) {
      if (any) {
        end_curve(&r, visit, ctx);
        dmd_intern_destroy(&r.texts);
      }
      begin_curve(&r, db);
      any = true;
    }
    add_value(&r, db, &last_build);
  }
  if (any) {
    if (step == DMDV_SQL_DONE)
      end_curve(&r, visit, ctx);
    dmd_intern_destroy(&r.texts);
  }
  dmd_strbuf_destroy(&r.values);
  dmd_strbuf_destroy(&r.points);
  dmd_strbuf_destroy(&r.builds);
  return step == DMDV_SQL_DONE;
}

dmd_step_t *dmdv_curve_steps(const dmdv_curve_t *curve, dmd_steps_limits_t limits, uint32_t *n) {
  if (curve->kind == DMD_FIGURE_FAULTS)
    limits.least = 1;
  return dmd_steps_find(&dmdv_env, curve->points, curve->n, limits, n);
}
