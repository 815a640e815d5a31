/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export_pprof.h: a profile in the format of pprof.
 */
#ifndef DMD_READER_EXPORT_EXPORT_PPROF_H
#define DMD_READER_EXPORT_EXPORT_PPROF_H

#include "export/export.h"

/* pprof's profile.proto, not yet gzipped: a dmd_export_fn. One sample a stack, report state, tag
 * and reporters. Not in every build of dmdv: DMD_HAVE_PROTOBUF says. */
const char *dmdv_export_pprof(const dmd_profile_t *profile, dmd_out_t *out,
                              const dmd_export_options_t *options);

#endif
