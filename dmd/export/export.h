/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export.h: a profile in the formats of other programs, one source file for each format.
 *
 * What is written are sums: the usable bytes and the blocks of each allocation stack, by report
 * state in dark-matter mode. In every format frames of unknown stacks are one pseudo frame, so that
 * totals are the heap's.
 *
 * Every function is a dmd_export_fn. It returns NULL, or why the profile cannot be written in its
 * format. Whether the output itself could be written is what dmd_out_flush returns.
 */
#ifndef DMD_EXPORT_EXPORT_H
#define DMD_EXPORT_EXPORT_H

#include "analysis/sums.h"
#include "base/out.h"

/* Stands for the stack of blocks whose stack was not recorded. */
#define DMD_NO_STACK "(no stack)"

/* What whoever exports says of all of it, such as build=cafe. */
typedef struct dmd_export_label {
  const char *key, *value;
} dmd_export_label_t;

enum { DMD_EXPORT_MAX_LABELS = 16 };

typedef struct dmd_export_options {
  dmd_section_t section; /* of collapsed: the blocks that are wanted; DMD_SECTION_ALL: all */
  unsigned roots;        /* of collapsed and speedscope: labels (1 << dmd_label_t) that are to be
                            frames below which the stacks stand */
  const char *exporter;  /* the program that writes, with its version */
  const dmd_export_label_t *labels; /* of pprof */
  size_t n_labels;
} dmd_export_options_t;

typedef const char *(*dmd_export_fn)(const dmd_profile_t *profile, dmd_out_t *out,
                                     const dmd_export_options_t *options);

/* A line a stack, `main;load;malloc 4096`, of the blocks of one section or of all. In dark-matter
 * mode, if all are wanted, the outermost frame of each stack is a pseudo frame that names the
 * report state. */
const char *dmd_export_collapsed(const dmd_profile_t *profile, dmd_out_t *out,
                                 const dmd_export_options_t *options);

/* speedscope's JSON file, one profile a report state. */
const char *dmd_export_speedscope(const dmd_profile_t *profile, dmd_out_t *out,
                                  const dmd_export_options_t *options);

/* DHAT's JSON, version 2. */
const char *dmd_export_dhat(const dmd_profile_t *profile, dmd_out_t *out,
                            const dmd_export_options_t *options);

/* Memory reports as Firefox's about:memory saves them. If a report is wrong, the reason that is
 * returned is the end of a sentence that begins with that report. */
const char *dmd_export_about_memory(const dmd_profile_t *profile, dmd_out_t *out,
                                    const dmd_export_options_t *options);

/* The same of n profiles, at least one, from files of these names: each is a process of its own. */
const char *dmd_export_processes(const dmd_profile_t *profiles, char *const *files, size_t n,
                                 dmd_out_t *out);

#endif
