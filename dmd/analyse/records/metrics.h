/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * metrics.h: the metrics of a profile that are tracked from build to build.
 *
 * These are: the heap and its sections, the memory of the process, its faults, what each reporter's
 * path and the paths above it measured, and the bytes of each tag and library. A reporter measured
 * what dmdv tree shows for it: a block counts for each of its reports, a shared one in parts.
 */
#ifndef DMD_ANALYSE_RECORDS_METRICS_H
#define DMD_ANALYSE_RECORDS_METRICS_H

#include "model/profile/profile.h"

typedef enum {
  DMD_METRIC_HEAP,
  DMD_METRIC_UNREPORTED, /* this and the next two in dark-matter mode only */
  DMD_METRIC_ONCE,
  DMD_METRIC_TWICE,
  DMD_METRIC_EXCESS,   /* bytes that reports count too often */
  DMD_METRIC_RESIDENT, /* if known */
  DMD_METRIC_FAULTS, /* a count, unlike all others, which are bytes; only in profiles written by dmd
                      */
  DMD_METRIC_REPORTER, /* this and the following have names */
  DMD_METRIC_TAG,
  DMD_METRIC_LIBRARY,
  DMD_METRIC_PEAK,  /* requested bytes of the peak, if known; without names */
  DMD_METRIC_WASTE, /* bytes that would be saved (analyse/waste); only a heap graph shows it, so
                       dmd_metrics_visit does not have it; without names */
  DMD_METRIC_RESIDENT_PEAK, /* the most physical memory, if known; without names */
  DMD_N_FIGURES
} dmd_metric_kind_t;

/* The word for a kind, e.g. "unreported". */
const char *dmd_metric_kind_name(dmd_metric_kind_t kind);

/* The kind with this word; DMD_N_FIGURES if unknown. */
dmd_metric_kind_t dmd_metric_kind_of(const char *name);

/* The moment of the metrics: the dump's label, else "exit". */
const char *dmd_metrics_moment(const dmd_profile_t *profile);

/* name: "" if the kind has no names; valid until the function returns. */
typedef void (*dmd_metric_fn)(void *visitor, dmd_metric_kind_t kind, const char *name,
                              int64_t value);

/* Temporarily makes records of the profile (analyse/records/record.h). */
void dmd_metrics_visit(dmd_profile_t *profile, dmd_metric_fn visit, void *visitor);

#endif
