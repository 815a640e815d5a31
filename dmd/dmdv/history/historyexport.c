/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv history export: writes a whole history, or its curves in other programs' formats.
 */
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/history/historycommands.h"
#include "historydb/exporting.h"
#include "host/output.h"
#include "host/process.h"
#include "show/export/exportmetrics.h"
#include "show/text/text_history.h"

#include "dmd-config.h"

#include <stdio.h>
#include <string.h>

typedef enum { FORMAT_JSON, FORMAT_OPENMETRICS, FORMAT_CSV, FORMAT_BENCHMARK, N_FORMATS } format_t;

typedef struct {
  const char *db, *output;
  unsigned format; /* N_FORMATS: not given */
} options_t;

#define AT(field) DMD_OPTION_AT(options_t, field)

static const dmd_option_t options[] = {
    DMDV_DB_OPTION(options_t, db),
    {"format", "json|openmetrics|csv|benchmark", NULL,
     "json: the whole history, for dmdv history import; openmetrics: all points, with the builds' "
     "times, for promtool tsdb create-blocks-from openmetrics; csv: all points as a table; "
     "benchmark: the last build's, for GitHub's benchmark actions",
     DMD_OPTION_WORD, AT(format)},
    DMDV_OUTPUT_OPTION(options_t, output, NULL, DMDV_TO_FILE DMDV_GZIPPED),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv history export --db=DB --format=FORMAT [OPTION...]\n\n"
             "Writes a whole history, or its series in the format of another program.\n\n",
     .options = &table},
    {0},
};

typedef struct {
  dmdv_database_t *db;
  format_t format;
  dmd_out_t out;
  dmd_openmetrics_t metrics;
  dmd_jsonout_t json;
  dmd_strbuf_t text; /* for one name */
} exporting_t;

/* The environment as a single line. */
static const char *environment_of(exporting_t *e, const dmdv_curve_t *curve) {
  dmd_strbuf_cut(&e->text, 0);
  for (const char *c = curve->environment_lines; *c != '\0'; c++) {
    if (*c != '\n')
      dmd_strbuf_bytes(&e->text, c, 1);
    else if (c[1] != '\0')
      dmd_strbuf_str(&e->text, "; ");
  }
  return e->text.text;
}

/* ---- OpenMetrics. ---- */

/* The metric's name without its kind and process. */
static void append_figure(dmd_strbuf_t *to, const dmdv_curve_t *curve) {
  const char *name = curve->name + strlen(dmd_metric_kind_name(curve->kind));
  name += name[0] == ' ';
  size_t n = strlen(name), n_process = strlen(curve->process);
  if (n_process > 0)
    n -= n < n_process + strlen(" of ") ? n : n_process + strlen(" of ");
  dmd_strbuf_bytes(to, name, n);
}

/* A series can have only one value at a time: of builds of the same second, the last one counts. */
static void add_curve(exporting_t *e, const dmdv_curve_t *curve) {
  const dmd_metric_label_t labels[] = {{"branch", curve->branch},
                                       {"moment", curve->moment},
                                       {"environment", environment_of(e, curve)},
                                       {"process", curve->process}};
  dmd_strbuf_t figure;
  dmd_strbuf_init(&figure, &dmdv_env);
  append_figure(&figure, curve);
  for (uint32_t i = 0; i < curve->n; i++)
    if (i + 1 == curve->n || curve->builds[i].time != curve->builds[i + 1].time)
      dmd_openmetrics_add(&e->metrics, curve->kind, figure.text, labels, 4,
                          (int64_t)curve->points[i].value, &curve->builds[i].time);
  dmd_strbuf_destroy(&figure);
}

/* Each build gets a series of its own. */
static bool add_builds(exporting_t *e) {
  dmdv_sql_step_t step;
  dmdv_sql_start(e->db, DMDV_SQL_BUILDS);
  while ((step = dmdv_sql_step(e->db)) == DMDV_SQL_ROW) {
    const dmd_metric_label_t label = {"branch", dmdv_sql_column_text(e->db, 2)};
    int64_t time = dmdv_sql_column_int(e->db, 3);
    dmd_openmetrics_add(&e->metrics, DMD_OPENMETRICS_BUILDS, dmdv_sql_column_text(e->db, 1), &label,
                        1, 1, &time);
  }
  return step == DMDV_SQL_DONE;
}

/* ---- CSV, as in RFC 4180. ---- */

/* Writes control characters as \xNN, since the format has no escapes. */
static void write_field(dmd_out_t *out, const char *field) {
  dmd_out_char(out, '"');
  for (size_t n; *field != '\0'; field += n) {
    n = *field == '"' ? 1 : strcspn(field, "\"");
    dmd_out_str(out, *field == '"' ? "\"" : "");
    dmd_out_safe_n(out, field, n);
  }
  dmd_out_str(out, "\",");
}

static void write_rows(exporting_t *e, const dmdv_curve_t *curve) {
  char number[DMD_FORMAT_MAX + 48], time[DMD_FORMAT_MAX];
  for (uint32_t i = 0; i < curve->n; i++) {
    dmd_text_time(time, curve->builds[i].time);
    write_field(&e->out, curve->name);
    write_field(&e->out, curve->moment);
    write_field(&e->out, environment_of(e, curve));
    write_field(&e->out, curve->branch);
    write_field(&e->out, curve->builds[i].name);
    snprintf(number, sizeof number, "%s,%lld,%u\r\n", time, (long long)curve->points[i].value,
             curve->points[i].n_runs);
    dmd_out_str(&e->out, number);
  }
}

/* ---- Benchmarks. ---- */

/* Writes the newest build's value, with the spread of its runs as the range. */
static void write_benchmark(exporting_t *e, const dmdv_curve_t *curve) {
  const dmd_point_t *point = &curve->points[curve->n - 1];
  char range[48];
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  const char *words[] = {curve->name,   ", ", curve->moment,           ", ",
                         curve->branch, ", ", environment_of(e, curve)};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    dmd_strbuf_str(&name, words[i]);
  snprintf(range, sizeof range, "± %.0f", point->deviation);
  dmd_benchmark_write(&e->json, &(dmd_benchmark_t){curve->kind, name.text, (int64_t)point->value,
                                                   point->n_runs > 1 ? range : NULL,
                                                   curve->builds[curve->n - 1].name});
  dmd_strbuf_destroy(&name);
}

/* ---- The command. ---- */

static void visit_curve(void *ctx, const dmdv_curve_t *curve) {
  static void (*const visits[])(exporting_t *,
                                const dmdv_curve_t *) = {[FORMAT_OPENMETRICS] = add_curve,
                                                         [FORMAT_CSV] = write_rows,
                                                         [FORMAT_BENCHMARK] = write_benchmark};
  exporting_t *e = ctx;
  visits[e->format](e, curve);
}

static bool write_curves(exporting_t *e) {
  if (e->format == FORMAT_CSV)
    dmd_out_str(&e->out, "series,moment,environment,branch,build,time,value,runs\r\n");
  if (e->format == FORMAT_BENCHMARK) {
    dmd_jsonout_init(&e->json, &e->out);
    dmd_jsonout_array(&e->json, DMD_JSONOUT_LINES);
  }
  bool good = dmdv_curves_visit(e->db, DMDV_CURVE_ALL, visit_curve, e) &&
              (e->format != FORMAT_OPENMETRICS || add_builds(e));
  if (e->format == FORMAT_BENCHMARK)
    dmd_jsonout_end(&e->json);
  if (e->format == FORMAT_OPENMETRICS && good)
    dmd_openmetrics_write(&e->metrics, &e->out);
  return good;
}

/* Leaves no file if the history cannot be read. */
static bool write_export(exporting_t *e, const char *name) {
  dmdv_output_t *file = dmdv_output_open(name, dmdv_output_is_gzip(name));
  if (file == NULL)
    return false;
  dmd_out_init(&e->out, dmdv_output_write, file);
  bool good = e->format == FORMAT_JSON ? dmdv_history_export(e->db, &e->out, "dmdv " DMD_VERSION)
                                       : write_curves(e);
  dmd_out_flush(&e->out);
  return dmdv_output_close(file, good) && good;
}

static int run(int argc, char **argv) {
  options_t o = {.format = N_FORMATS};
  dmdv_files_t words;
  int status = dmdv_read_command_line(&dmdv_history_export_command, &o, argc, argv, &words);
  if (status >= 0)
    return status;
  if (words.n != 0 || o.format == N_FORMATS) {
    dmdv_error("history export: give --format=FORMAT and no files; see dmdv history export --help");
    return 2;
  }
  exporting_t e = {.format = o.format,
                   .db = dmdv_history_open(o.db, "history export", DMDV_OPEN_TO_READ)};
  if (e.db == NULL)
    return 2;
  dmd_openmetrics_init(&e.metrics, &dmdv_env);
  dmd_strbuf_init(&e.text, &dmdv_env);
  bool good = write_export(&e, o.output);
  dmd_strbuf_destroy(&e.text);
  dmd_openmetrics_destroy(&e.metrics);
  dmdv_database_close(e.db);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_history_export_command = {
    "history export", "write the history as JSON, or its series for other programs", parts, run};
