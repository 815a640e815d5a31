/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * exportfigures.h: the figures of profiles alone (analysis/figures.h), for programs that follow
 * them.
 *
 *   openmetrics   for Prometheus and what reads its formats (openmetrics.h), without times
 *   benchmark     a list of benchmarks of which smaller is better, as GitHub's action
 *                 github-action-benchmark reads it
 *
 * begin, then add for each profile, each of which is a process of its own, then end. Profiles may
 * be gone once they were added. Memory: the text of OpenMetrics until the end, else nothing.
 */
#ifndef DMD_EXPORT_EXPORTFIGURES_H
#define DMD_EXPORT_EXPORTFIGURES_H

#include "base/jsonout.h"
#include "export/openmetrics.h"

typedef enum { DMD_FIGURES_OPENMETRICS, DMD_FIGURES_BENCHMARK } dmd_figures_format_t;

typedef struct dmd_exportfigures {
  dmd_figures_format_t format;
  const dmd_env_t *env;
  bool is_alone; /* there is one profile only */
  uint32_t n;    /* added so far */
  dmd_intern_t seen;
  dmd_openmetrics_t metrics;
  dmd_jsonout_t json;
  dmd_out_t *out;
} dmd_exportfigures_t;

void dmd_exportfigures_begin(dmd_exportfigures_t *e, const dmd_env_t *env,
                             dmd_figures_format_t format, size_t n, dmd_out_t *out);

/* Returns NULL, or why the profile cannot be added: then what was written is to be thrown away. End
 * it either way. */
const char *dmd_exportfigures_add(dmd_exportfigures_t *e, dmd_profile_t *profile);

void dmd_exportfigures_end(dmd_exportfigures_t *e);

/* ---- One benchmark. ---- */

typedef struct dmd_benchmark {
  dmd_figure_kind_t kind;
  const char *name;
  int64_t value;
  const char *range; /* e.g. "± 12"; NULL: not known */
  const char *extra; /* what is shown with it */
} dmd_benchmark_t;

void dmd_benchmark_write(dmd_jsonout_t *json, const dmd_benchmark_t *benchmark);

#endif
