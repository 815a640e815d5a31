/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export_pprof.h: exports a profile in pprof's format.
 */
#ifndef DMD_DMDV_PUSH_EXPORT_PPROF_H
#define DMD_DMDV_PUSH_EXPORT_PPROF_H

#include "show/export/export.h"

/* Writes pprof's profile.proto, not gzipped: a dmd_export_fn. One sample for each stack, report
 * state, tag and set of reporters. Only in builds with DMD_HAVE_PROTOBUF. */
const char *dmdv_export_pprof(const dmd_profile_t *profile, dmd_out_t *out,
                              const dmd_export_options_t *options);

#endif
