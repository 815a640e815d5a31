/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * openmetrics.h: writes metrics of profiles (analyse/records/metrics.h) as OpenMetrics.
 *
 * Each kind of metric is a family of gauges, such as dmd_heap_bytes. The name of a metric is a
 * label, e.g. dmd_reporter_bytes{reporter="explicit/cookies"}. The samples of a family must be
 * adjacent, so all text is kept until the end. The output is also valid in the older text format of
 * Prometheus's textfile collector and Pushgateway: it has the same TYPEs, and ignores the rest as
 * comments.
 *
 * Names of labels may have only letters, digits and _; values may be any UTF-8.
 */
#ifndef DMD_SHOW_EXPORT_OPENMETRICS_H
#define DMD_SHOW_EXPORT_OPENMETRICS_H

#include "analyse/records/metrics.h"
#include "base/out.h"

/* The metrics of profiles; a history also has builds. */
enum { DMD_OPENMETRICS_BUILDS = DMD_N_FIGURES, DMD_N_FAMILIES };

typedef struct dmd_openmetrics {
  dmd_strbuf_t families[DMD_N_FAMILIES]; /* the lines of their samples */
} dmd_openmetrics_t;

typedef struct dmd_metric_label {
  const char *name, *value;
} dmd_metric_label_t;

void dmd_openmetrics_init(dmd_openmetrics_t *metrics, const dmd_env_t *env);
void dmd_openmetrics_destroy(dmd_openmetrics_t *metrics);

/* name: of the metric, or "". seconds: since 1970; NULL: no time, so that collectors use the time
 * of reading. */
void dmd_openmetrics_add(dmd_openmetrics_t *metrics, unsigned family, const char *name,
                         const dmd_metric_label_t *labels, size_t n_labels, int64_t value,
                         const int64_t *seconds);

/* Writes everything, including the end marker. */
void dmd_openmetrics_write(const dmd_openmetrics_t *metrics, dmd_out_t *out);

#endif
