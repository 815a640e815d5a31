/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * samples.h: a profile as stores of profiles have it: stacks with a value for each of several
 * sample types, and with labels.
 *
 * Sample types, in order: blocks and bytes for each report state, for the blocks as a whole, and
 * for slop; the names by which stores recognise heap profiles (inuse_objects, inuse_space), or in
 * mode cumulative alloc_objects and alloc_space; if the profile has its peak, blocks and bytes of
 * that; if it has lifetimes, all that was allocated in the run (alloc_objects, alloc_space), and
 * how much of it was temporary. Bytes are usable bytes, but inuse_space and alloc_space are
 * requested ones, so that they can be compared with each other.
 *
 * A sample is of the dump, of the peak or of the run; the values of types of the others are 0.
 * Those of the dump are in one report state, so the values of other states are 0.
 */
#ifndef DMD_SHOW_EXPORT_SAMPLES_H
#define DMD_SHOW_EXPORT_SAMPLES_H

#include "analyse/records/sums.h"
#include "show/export/export.h"

enum { DMD_SAMPLES_MAX_TYPES = 17, DMD_SAMPLE_MAX_LABELS = 6 + DMD_EXPORT_MAX_LABELS };

typedef struct dmd_sample_type {
  char name[32];
  const char *unit; /* "bytes" or "count" */
} dmd_sample_type_t;

typedef struct dmd_samples {
  const dmd_profile_t *profile;
  dmd_sample_type_t types[DMD_SAMPLES_MAX_TYPES];
  size_t n_types;
  size_t default_type; /* the one to show first */
  dmd_sums_t of_dump, of_peak;
  dmd_peak_view_t peak; /* of_peak and this: only if the profile has its peak */
} dmd_samples_t;

typedef struct dmd_sample {
  uint32_t stack; /* of the profile; DMD_NONE: not recorded, or empty */
  const int64_t *values;
  const dmd_export_label_t *labels;
  size_t n_labels;
} dmd_sample_t;

/* The struct must stay in place until it is destroyed, and the profile must not change. */
void dmd_samples_init(dmd_samples_t *samples, const dmd_profile_t *profile);
void dmd_samples_destroy(dmd_samples_t *samples);

/* Visits all samples. Labels are the state, tag, reporters, thread and process; those of the
 * options come last. What a sample points to is valid during the visit. */
void dmd_samples_visit(const dmd_samples_t *samples, const dmd_export_options_t *options,
                       void (*visit)(void *ctx, const dmd_sample_t *sample), void *ctx);

/* Appends a regular expression for functions that only allocate (show/export/dropframes.h). */
void dmd_samples_dropped(const dmd_samples_t *samples, dmd_strbuf_t *regexp);

#endif
