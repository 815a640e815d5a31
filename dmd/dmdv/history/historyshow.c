/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history list and show: the builds and series of a history, and one series.
 */
#include "base/jsonout.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/history/historycommands.h"
#include "host/process.h"
#include "show/text/print.h"
#include "show/text/text_history.h"

#include <stdio.h>
#include <string.h>

static const dmd_option_t options[] = {
    DMDV_DB_OPTION(dmdv_history_options_t, db),
    DMDV_JSON_OPTION(dmdv_history_options_t, json, "print the result as JSON"),
    DMDV_MAX_RECORDS_WITH(dmdv_history_options_t, max_records, "all",
                          "show at most N series or curves, and the newest N builds"),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t list_parts[] = {
    {.text = "usage: dmdv history list --db=DB [OPTION...]\n"
             "\n"
             "Lists the builds of a history, and its series with the last value of each.\n"
             "\n",
     .options = &table},
    {0},
};

static const dmdv_part_t show_parts[] = {
    {.text = "usage: dmdv history show --db=DB [OPTION...] SERIES\n"
             "\n"
             "Shows a series build by build: heap, unreported, once, twice, resident, faults,\n"
             "'reporter PATH', 'tag NAME' or 'library NAME'.\n"
             "\n",
     .options = &table},
    {0},
};

typedef struct {
  dmdv_database_t *db;
  bool json, good;
  const char *series;        /* of show */
  uint32_t max_records;      /* 0: all */
  uint32_t n_found, n_shown; /* series of list, curves of show */
  dmd_out_t *out;
  dmd_jsonout_t writer;
} listing_t;

/* ---- The names of a curve. ---- */

static void write_keys(listing_t *l, const dmdv_curve_t *curve) {
  dmd_jsonout_key_str(&l->writer, "series", curve->name);
  dmd_jsonout_key_str(&l->writer, "moment", curve->moment);
  dmd_jsonout_key_str(&l->writer, "branch", curve->branch);
  dmd_jsonout_key_str(&l->writer, "environment", curve->environment_lines);
}

static void write_name(listing_t *l, const dmdv_curve_t *curve) {
  dmd_out_safe(l->out, curve->name);
  dmd_out_str(l->out, ", ");
  dmd_out_safe(l->out, curve->moment);
  dmd_out_str(l->out, ", ");
  dmd_out_safe(l->out, curve->branch);
}

/* ---- What is left out. ---- */

/* Whether the next series or curve is shown. */
static bool is_shown(listing_t *l) {
  l->n_found++;
  l->n_shown += l->max_records == 0 || l->n_shown < l->max_records;
  return l->n_shown == l->n_found;
}

/* The number of the oldest of n builds that are left out. */
static uint32_t n_skipped(const listing_t *l, uint32_t n) {
  return l->max_records > 0 && n > l->max_records ? n - l->max_records : 0;
}

/* After the list, or in JSON in the object that has it. */
static void write_left_out(listing_t *l, const char *key, uint32_t n, const char *one,
                           const char *many) {
  if (n > 0 && l->json)
    dmd_jsonout_key_u64(&l->writer, key, n);
  else if (!l->json)
    dmd_print_left_out(l->out, n, 0, one, many);
}

/* ---- list ---- */

static void write_build(listing_t *l) {
  char time[DMD_FORMAT_MAX];
  dmd_text_time(time, dmdv_sql_column_int(l->db, 3));
  if (l->json) {
    dmd_jsonout_object(&l->writer, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(&l->writer, "build", dmdv_sql_column_text(l->db, 1));
    dmd_jsonout_key_str(&l->writer, "branch", dmdv_sql_column_text(l->db, 2));
    dmd_jsonout_key_str(&l->writer, "time", time);
    dmd_jsonout_key(&l->writer, "runs");
    dmd_jsonout_i64(&l->writer, dmdv_sql_column_int(l->db, 4));
    dmd_jsonout_end(&l->writer);
    return;
  }
  dmd_out_str(l->out, "  ");
  dmd_out_str(l->out, time);
  dmd_out_str(l->out, "  ");
  dmd_out_safe(l->out, dmdv_sql_column_text(l->db, 1));
  dmd_out_str(l->out, " (");
  dmd_out_safe(l->out, dmdv_sql_column_text(l->db, 2));
  dmd_out_str(l->out, "), ");
  dmd_print_count(l->out, dmdv_sql_column_int(l->db, 4), false, "run", "runs");
  dmd_out_char(l->out, '\n');
}

static void write_series(void *ctx, const dmdv_curve_t *curve) {
  listing_t *l = ctx;
  int64_t last = (int64_t)curve->points[curve->n - 1].value;
  if (!is_shown(l))
    return;
  if (l->json) {
    dmd_jsonout_object(&l->writer, DMD_JSONOUT_INLINE);
    write_keys(l, curve);
    dmd_jsonout_key(&l->writer, "builds");
    dmd_jsonout_u64(&l->writer, curve->n);
    dmd_jsonout_key(&l->writer, "last");
    dmd_jsonout_i64(&l->writer, last);
    dmd_jsonout_end(&l->writer);
    return;
  }
  dmd_out_str(l->out, "  ");
  dmd_print_number_column(l->out, last, 15);
  dmd_out_str(l->out, "  ");
  write_name(l, curve);
  dmd_out_str(l->out, ": ");
  dmd_print_count(l->out, curve->n, false, "build", "builds");
  dmd_out_char(l->out, '\n');
}

/* Writes the builds after the first `skipped` ones; *n: the number of all. */
static bool visit_builds(listing_t *l, uint32_t skipped, uint32_t *n) {
  dmdv_sql_step_t step;
  dmdv_sql_start(l->db, DMDV_SQL_BUILDS);
  for (*n = 0; (step = dmdv_sql_step(l->db)) == DMDV_SQL_ROW; ++*n)
    if (*n >= skipped)
      write_build(l);
  return step == DMDV_SQL_DONE;
}

static bool list_builds(listing_t *l, uint32_t *skipped) {
  uint32_t n = 0;
  *skipped = 0;
  if (l->max_records > 0 && !visit_builds(l, UINT32_MAX, &n))
    return false;
  *skipped = n_skipped(l, n);
  return visit_builds(l, *skipped, &n);
}

static bool list_series(listing_t *l) {
  return dmdv_curves_visit(l->db, DMDV_CURVE_ALL, write_series, l);
}

static void list_as_json(listing_t *l) {
  uint32_t skipped;
  dmd_jsonout_init(&l->writer, l->out);
  dmd_jsonout_object(&l->writer, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&l->writer, "builds");
  dmd_jsonout_array(&l->writer, DMD_JSONOUT_LINES);
  l->good = list_builds(l, &skipped);
  dmd_jsonout_end(&l->writer);
  write_left_out(l, "buildsLeftOut", skipped, "", "");
  dmd_jsonout_key(&l->writer, "series");
  dmd_jsonout_array(&l->writer, DMD_JSONOUT_LINES);
  l->good = l->good && list_series(l);
  dmd_jsonout_end(&l->writer);
  write_left_out(l, "seriesLeftOut", l->n_found - l->n_shown, "", "");
  dmd_jsonout_end(&l->writer);
  dmd_out_char(l->out, '\n');
}

static void list(void *ctx, dmd_out_t *out) {
  listing_t *l = ctx;
  uint32_t skipped;
  l->out = out;
  if (l->json) {
    list_as_json(l);
    return;
  }
  dmd_out_str(out, "Builds\n");
  l->good = list_builds(l, &skipped);
  write_left_out(l, "", skipped, " more build", " more builds");
  dmd_out_str(out, "\nSeries, with their last values\n");
  l->good = l->good && list_series(l);
  write_left_out(l, "", l->n_found - l->n_shown, " more series", " more series");
}

/* ---- show ---- */

static void write_point(listing_t *l, const dmdv_curve_build_t *build, const dmd_point_t *point) {
  char time[DMD_FORMAT_MAX];
  if (l->json) {
    dmd_jsonout_object(&l->writer, DMD_JSONOUT_INLINE);
    dmd_json_point(&l->writer, build->name, build->time, point);
    dmd_jsonout_end(&l->writer);
    return;
  }
  dmd_text_time(time, build->time);
  dmd_out_str(l->out, "  ");
  dmd_print_number_column(l->out, (int64_t)point->value, 15);
  dmd_out_str(l->out, "  ");
  dmd_out_str(l->out, time);
  dmd_out_str(l->out, "  ");
  dmd_out_safe(l->out, build->name);
  dmd_out_char(l->out, '\n');
}

/* Marks a change point, after the last build of the old level. */
static void write_step(listing_t *l, const dmd_changepoint_t *step) {
  dmd_out_str(l->out, step->is_slow ? "  ~~~ slowly from " : "  --- from ");
  dmd_print_number(l->out, (int64_t)step->before, false);
  dmd_out_str(l->out, " to ");
  dmd_print_number(l->out, (int64_t)step->after, false);
  dmd_out_char(l->out, '\n');
}

static void write_curve(listing_t *l, const dmdv_curve_t *curve) {
  dmd_changepoints_limits_t limits;
  uint32_t n, at = 0;
  dmdv_history_limits(NULL, &limits);
  dmd_changepoint_t *steps = dmdv_curve_steps(curve, limits, &n);
  for (uint32_t i = n_skipped(l, curve->n); i < curve->n; i++) {
    for (; at < n && steps[at].first <= i; at++)
      if (!l->json && steps[at].first == i)
        write_step(l, &steps[at]);
    write_point(l, &curve->builds[i], &curve->points[i]);
  }
  dmd_env_free(&dmdv_env, steps);
}

static void show_curve(void *ctx, const dmdv_curve_t *curve) {
  listing_t *l = ctx;
  uint32_t skipped = n_skipped(l, curve->n);
  if (!is_shown(l))
    return;
  if (l->json) {
    dmd_jsonout_object(&l->writer, DMD_JSONOUT_LINES);
    write_keys(l, curve);
    dmd_jsonout_key(&l->writer, "points");
    dmd_jsonout_array(&l->writer, DMD_JSONOUT_LINES);
    write_curve(l, curve);
    dmd_jsonout_end(&l->writer);
    write_left_out(l, "leftOut", skipped, "", "");
    dmd_jsonout_end(&l->writer);
  } else {
    dmd_out_str(l->out, l->n_shown > 1 ? "\n" : "");
    write_name(l, curve);
    dmd_out_char(l->out, '\n');
    write_curve(l, curve);
    write_left_out(l, "", skipped, " more build", " more builds");
  }
}

static void show(void *ctx, dmd_out_t *out) {
  listing_t *l = ctx;
  l->out = out;
  if (l->json) {
    dmd_jsonout_init(&l->writer, out);
    dmd_jsonout_object(&l->writer, DMD_JSONOUT_LINES);
    dmd_jsonout_key(&l->writer, "curves");
    dmd_jsonout_array(&l->writer, DMD_JSONOUT_LINES);
  }
  l->good = dmdv_curves_visit_named(l->db, l->series, show_curve, l);
  if (l->json)
    dmd_jsonout_end(&l->writer);
  write_left_out(l, "curvesLeftOut", l->n_found - l->n_shown, " more curve", " more curves");
  if (l->json) {
    dmd_jsonout_end(&l->writer);
    dmd_out_char(out, '\n');
  }
}

/* ---- Both. ---- */

static int run_either(const dmdv_command_t *command, int argc, char **argv, int n_words,
                      void (*print)(void *ctx, dmd_out_t *out)) {
  dmdv_history_options_t o = {0};
  dmdv_files_t words;
  int status = dmdv_read_command_line(command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  if (words.n != n_words) {
    dmdv_error("%s: give %s; see dmdv %s --help", command->name,
               n_words == 1 ? "one series" : "only options", command->name);
    return 2;
  }
  listing_t l = {.json = o.json, .max_records = o.max_records, .series = words.names[0]};
  l.db = dmdv_history_open(o.db, command->name, DMDV_OPEN_TO_READ);
  if (l.db == NULL)
    return 2;
  bool good = dmdv_history_print(l.db, NULL, print, &l) && l.good;
  if (good && n_words == 1 && l.n_shown == 0)
    good = dmdv_error("%s has no series '%s'; see dmdv history list", dmdv_database_name(l.db),
                      l.series);
  dmdv_database_close(l.db);
  return good ? 0 : 2;
}

static int run_list(int argc, char **argv) {
  return run_either(&dmdv_history_list_command, argc, argv, 0, list);
}

static int run_show(int argc, char **argv) {
  return run_either(&dmdv_history_show_command, argc, argv, 1, show);
}

const dmdv_command_t dmdv_history_list_command = {"history list", "list builds and series",
                                                  list_parts, run_list};
const dmdv_command_t dmdv_history_show_command = {"history show", "show a series build by build",
                                                  show_parts, run_show};
