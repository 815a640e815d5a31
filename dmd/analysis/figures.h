/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * figures.h: the figures of a profile that are watched from build to build.
 *
 * The heap and its sections, what the process took up, its faults, what each reporter's path
 * measured, with the paths above it, and what bears each tag and comes from each library. A block
 * that several reporters measured counts for each of them; one that they share, in parts.
 */
#ifndef DMD_ANALYSIS_FIGURES_H
#define DMD_ANALYSIS_FIGURES_H

#include "profile/profile.h"

typedef enum {
  DMD_FIGURE_HEAP,
  DMD_FIGURE_UNREPORTED, /* this and the next two in dark-matter mode only */
  DMD_FIGURE_ONCE,
  DMD_FIGURE_TWICE,
  DMD_FIGURE_RESIDENT, /* where it is known */
  DMD_FIGURE_FAULTS,   /* a count; all others are bytes. Of profiles that dmd wrote */
  DMD_FIGURE_REPORTER, /* these have names */
  DMD_FIGURE_TAG,
  DMD_FIGURE_LIBRARY,
  DMD_N_FIGURES
} dmd_figure_kind_t;

/* As it is written, e.g. "unreported". */
const char *dmd_figure_kind_name(dmd_figure_kind_t kind);

/* The kind with this name; DMD_N_FIGURES: there is none. */
dmd_figure_kind_t dmd_figure_kind_of(const char *name);

/* When the figures were taken: the dump's label, "exit" where it has none. */
const char *dmd_figures_moment(const dmd_profile_t *profile);

/* name: "" where the kind has none; good until the function returns. */
typedef void (*dmd_figure_fn)(void *visitor, dmd_figure_kind_t kind, const char *name,
                              int64_t value);

/* Makes records of the profile meanwhile (analysis/record.h). */
void dmd_figures_visit(dmd_profile_t *profile, dmd_figure_fn visit, void *visitor);

#endif
