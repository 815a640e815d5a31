/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * exportmetrics.h: exports only the metrics of profiles (analyse/records/metrics.h), for monitoring
 * programs.
 *
 *   openmetrics   for Prometheus and compatible programs (below), without times
 *   benchmark     a list of smaller-is-better benchmarks for the GitHub action
 *                 github-action-benchmark
 *
 * Call order: begin; add for each profile, each of which is a separate process; end. Profiles may
 * be destroyed after they were added. Memory: the text of OpenMetrics until the end; nothing for
 * benchmark.
 */
#ifndef DMD_SHOW_EXPORT_EXPORTMETRICS_H
#define DMD_SHOW_EXPORT_EXPORTMETRICS_H

#include "analyse/records/metrics.h"
#include "base/jsonout.h"
#include "base/out.h"

/* ---- OpenMetrics. ----
 *
 * Each kind of metric is a family of gauges, such as dmd_heap_bytes. The name of a metric is a
 * label, e.g. dmd_reporter_bytes{reporter="explicit/cookies"}. The samples of a family must be
 * adjacent, so all text is kept until the end. The output is also valid in the older text format of
 * Prometheus's textfile collector and Pushgateway: it has the same TYPEs, and ignores the rest as
 * comments.
 *
 * Names of labels may have only letters, digits and _; values may be any UTF-8. */

/* The metrics of profiles; a history also has builds. */
enum { DMD_OPENMETRICS_BUILDS = DMD_N_FIGURES, DMD_N_FAMILIES };

typedef struct dmd_openmetrics {
  dmd_strbuf_t families[DMD_N_FAMILIES]; /* the lines of their samples */
} dmd_openmetrics_t;

typedef struct dmd_metric_label {
  const char *name, *value;
} dmd_metric_label_t;

/* Appends a label with its value, escaped as the format and terminals need. */
void dmd_openmetrics_label(dmd_strbuf_t *to, const char *separator, const char *name,
                           const char *value);

void dmd_openmetrics_init(dmd_openmetrics_t *metrics, const dmd_env_t *env);
void dmd_openmetrics_destroy(dmd_openmetrics_t *metrics);

/* name: of the metric, or "". seconds: since 1970; NULL: no time, so that collectors use the time
 * of reading. */
void dmd_openmetrics_add(dmd_openmetrics_t *metrics, unsigned family, const char *name,
                         const dmd_metric_label_t *labels, size_t n_labels, int64_t value,
                         const int64_t *seconds);

/* Writes everything, including the end marker. */
void dmd_openmetrics_write(const dmd_openmetrics_t *metrics, dmd_out_t *out);

/* ---- Metrics of profiles. ---- */

typedef enum { DMD_METRICS_OPENMETRICS, DMD_METRICS_BENCHMARK } dmd_metrics_format_t;

typedef struct dmd_exportfigures {
  dmd_metrics_format_t format;
  const dmd_env_t *env;
  bool is_alone; /* there is only one profile */
  uint32_t n;    /* added so far */
  dmd_intern_t seen;
  dmd_openmetrics_t metrics;
  dmd_jsonout_t json;
  dmd_out_t *out;
} dmd_exportfigures_t;

void dmd_exportfigures_begin(dmd_exportfigures_t *e, const dmd_env_t *env,
                             dmd_metrics_format_t format, size_t n, dmd_out_t *out);

/* Returns NULL, or why the profile cannot be added; then discard the output. Call end either
 * way. */
const char *dmd_exportfigures_add(dmd_exportfigures_t *e, dmd_profile_t *profile);

void dmd_exportfigures_end(dmd_exportfigures_t *e);

/* ---- One benchmark. ---- */

typedef struct dmd_benchmark {
  dmd_metric_kind_t kind;
  const char *name;
  int64_t value;
  const char *range; /* e.g. "± 12"; NULL: unknown */
  const char *extra; /* additional text to show */
} dmd_benchmark_t;

void dmd_benchmark_write(dmd_jsonout_t *json, const dmd_benchmark_t *benchmark);

#endif
