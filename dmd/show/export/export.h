/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export.h: exports a profile in the formats of other programs, with one source file per format.
 *
 * The output has sums: the usable bytes and the blocks of each allocation stack, by report state in
 * dark-matter mode. In every format, unknown stacks are one pseudo frame, so that totals are the
 * heap's.
 *
 * Every function is a dmd_export_fn. It returns NULL, or why the profile cannot be written in its
 * format. Errors of the output itself are returned by dmd_out_flush.
 */
#ifndef DMD_SHOW_EXPORT_EXPORT_H
#define DMD_SHOW_EXPORT_EXPORT_H

#include "analyse/records/sums.h"
#include "analyse/tree/amounts.h"
#include "base/out.h"

/* The frame for blocks whose stack was not recorded. */
#define DMD_NO_STACK "(no stack)"

/* A label for the whole export, such as build=cafe. */
typedef struct dmd_export_label {
  const char *key, *value;
} dmd_export_label_t;

enum { DMD_EXPORT_MAX_LABELS = 16 };

typedef struct dmd_export_options {
  dmd_section_t section; /* collapsed: which blocks to export; DMD_SECTION_ALL: all */
  unsigned roots; /* collapsed and speedscope: labels (1 << dmd_label_t) that become root frames of
                     the stacks */
  const char *exporter;             /* name and version of the exporting program */
  const dmd_export_label_t *labels; /* for pprof */
  size_t n_labels;
} dmd_export_options_t;

typedef const char *(*dmd_export_fn)(const dmd_profile_t *profile, dmd_out_t *out,
                                     const dmd_export_options_t *options);

/* One line per stack, `main;load;malloc 4096`, for the blocks of one section or of all. In
 * dark-matter mode with all sections, the outermost frame of each stack is a pseudo frame that
 * names the report state. */
const char *dmd_export_collapsed(const dmd_profile_t *profile, dmd_out_t *out,
                                 const dmd_export_options_t *options);

/* speedscope's JSON, with one profile per report state. */
const char *dmd_export_speedscope(const dmd_profile_t *profile, dmd_out_t *out,
                                  const dmd_export_options_t *options);

/* DHAT's JSON, version 2. */
const char *dmd_export_dhat(const dmd_profile_t *profile, dmd_out_t *out,
                            const dmd_export_options_t *options);

/* Callgrind's format: the costs of source lines, and of the calls that they make. */
const char *dmd_export_callgrind(const dmd_profile_t *profile, dmd_out_t *out,
                                 const dmd_export_options_t *options);

/* Memory reports as saved by Firefox's about:memory. If a report is invalid, the returned reason
 * completes a sentence that begins with that report. */
const char *dmd_export_about_memory(const dmd_profile_t *profile, dmd_out_t *out,
                                    const dmd_export_options_t *options);

/* Memory reports of n profiles, at least one, from files with these names: each is a separate
 * process. */
const char *dmd_export_processes(const dmd_profile_t *profiles, char *const *files, size_t n,
                                 dmd_out_t *out);

/* Settled amounts in this format. */
void dmd_export_amounts(const dmd_amounts_t *m, dmd_out_t *out);

/* The same as OpenMetrics: dmd_memory_bytes{process="app",pid="7",path="explicit/a",kind="heap"}.
 */
void dmd_export_amounts_openmetrics(const dmd_amounts_t *m, dmd_out_t *out);

#endif
