/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * record_json.h: one record as JSON, for both dmdv print and dmdv check.
 */
#ifndef DMD_SHOW_TEXT_RECORD_JSON_H
#define DMD_SHOW_TEXT_RECORD_JSON_H

#include "analyse/records/record.h"
#include "base/jsonout.h"

/* Writes n frames of the profile as an array of texts, the innermost first. */
void dmd_json_write_frames(dmd_jsonout_t *j, const dmd_profile_t *profile, const uint32_t *frames,
                           size_t n);

/* Writes the standard errors of an estimate's bytes and blocks as members; nothing for exact
 * values. */
void dmd_json_write_errors(dmd_jsonout_t *j, dmd_variance_t variance);

/* Writes bytes, blocks and their errors as members. */
void dmd_json_write_sum(dmd_jsonout_t *j, const dmd_blocksum_t *sum);

/* Writes the fields of a record (bits 1 << dmd_record_field_id_t) as members of the open object.
 * `allocatedAt` is null if no stack was recorded. Leaves out missing reports, and a tag or reporter
 * that not all of its blocks share. */
void dmd_json_write_record(dmd_jsonout_t *j, const dmd_records_t *records, const dmd_record_t *r,
                           unsigned fields);

#endif
