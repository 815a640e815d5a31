/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export_otlp.h: exports a profile in OpenTelemetry's format for profiles.
 */
#ifndef DMD_DMDV_EXPORT_OTLP_H
#define DMD_DMDV_EXPORT_OTLP_H

#include "show/export/export.h"

/* Writes a ProfilesData of opentelemetry-proto, not gzipped: a dmd_export_fn. The labels of the
 * options become attributes of the resource. Only in builds with DMD_HAVE_PROTOBUF. */
const char *dmdv_export_otlp(const dmd_profile_t *profile, dmd_out_t *out,
                             const dmd_export_options_t *options);

#endif
