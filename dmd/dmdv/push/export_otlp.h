/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * export_otlp.h: exports a profile in OpenTelemetry's format for profiles.
 */
#ifndef DMD_DMDV_PUSH_EXPORT_OTLP_H
#define DMD_DMDV_PUSH_EXPORT_OTLP_H

#include "show/export/export.h"

/* Writes a ProfilesData of opentelemetry-proto, not gzipped: a dmd_export_fn. The labels of the
 * options become attributes of the resource. Only in builds with DMD_HAVE_PROTOBUF. */
const char *dmdv_export_otlp(const dmd_profile_t *profile, dmd_out_t *out,
                             const dmd_export_options_t *options);

/* Whether a collector's answer of n bytes says that it took everything; otherwise *why gets its
 * reason. An answer of another kind counts as success, as the status already said so. */
bool dmdv_otlp_accepted(const char *answer, size_t n, dmd_strbuf_t *why);

#endif
