/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export.h: a profile in the formats of other programs, one file a format.
 *
 * What is written are sums: the usable bytes and the blocks of each allocation stack, by report
 * state in dark-matter mode. A function returns false, with one line on stderr, when the profile
 * cannot be put into its format; whether the writing itself went well, dmd_out_flush knows. In
 * every format frames of unknown stacks are one pseudo frame, so that totals are the heap's.
 */
#ifndef DMD_READER_EXPORT_EXPORT_H
#define DMD_READER_EXPORT_EXPORT_H

#include "analysis/record.h"
#include "base/out.h"

/* Stands for the stack of blocks whose stack was not recorded. */
#define DMDV_NO_STACK "(no stack)"

/* pprof's profile.proto, not yet gzipped. One sample a stack, report state, tag and reporters. Not
 * in every build of dmdv: DMD_HAVE_PPROF says. */
bool dmdv_export_pprof(dmd_profile_t *profile, dmd_out_t *out);

/* A line a stack, `main;load;malloc 4096`, of the blocks of one section or of all. In dark-matter
 * mode all means that each stack stands on a pseudo frame that names its report state. */
bool dmdv_export_collapsed(dmd_profile_t *profile, dmd_out_t *out, dmd_section_t section);

/* speedscope's JSON file, one profile a report state. */
bool dmdv_export_speedscope(dmd_profile_t *profile, dmd_out_t *out);

/* DHAT's JSON, version 2. */
bool dmdv_export_dhat(dmd_profile_t *profile, dmd_out_t *out);

/* Memory reports as Firefox's about:memory saves them. */
bool dmdv_export_about_memory(dmd_profile_t *profile, dmd_out_t *out);

#endif
