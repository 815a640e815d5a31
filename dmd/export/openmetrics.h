/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * openmetrics.h: figures of profiles (analysis/figures.h) as OpenMetrics has them.
 *
 * Each kind of figure is a family of gauges, such as dmd_heap_bytes; a figure's name is a label,
 * e.g. dmd_reporter_bytes{reporter="explicit/cookies"}. The samples of a family must stand
 * together, so that all text is kept until it is written. What is written is also right in the
 * older text format that Prometheus's textfile collector and Pushgateway read: its TYPEs are known
 * there, and what is not is a comment.
 *
 * Labels' names have letters, digits and _ alone; values may be any UTF-8.
 */
#ifndef DMD_EXPORT_OPENMETRICS_H
#define DMD_EXPORT_OPENMETRICS_H

#include "analysis/figures.h"
#include "base/out.h"

/* The figures of profiles, and of a history also the builds. */
enum { DMD_OPENMETRICS_BUILDS = DMD_N_FIGURES, DMD_N_FAMILIES };

typedef struct dmd_openmetrics {
  dmd_strbuf_t families[DMD_N_FAMILIES]; /* the lines of their samples */
} dmd_openmetrics_t;

typedef struct dmd_metric_label {
  const char *name, *value;
} dmd_metric_label_t;

void dmd_openmetrics_init(dmd_openmetrics_t *metrics, const dmd_env_t *env);
void dmd_openmetrics_destroy(dmd_openmetrics_t *metrics);

/* name: that of the figure, or "". seconds: since 1970; NULL: the time is that of whoever reads it,
 * which is what collectors want. */
void dmd_openmetrics_add(dmd_openmetrics_t *metrics, unsigned family, const char *name,
                         const dmd_metric_label_t *labels, size_t n_labels, int64_t value,
                         const int64_t *seconds);

/* Writes the whole, with its end. */
void dmd_openmetrics_write(const dmd_openmetrics_t *metrics, dmd_out_t *out);

#endif
