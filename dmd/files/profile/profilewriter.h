/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profilewriter.h: writes a profile as a DMD version 5 document.
 *
 * The document is what Mozilla's script reads, plus the keys of docs/format.md: "dmd" at the top
 * and some in each block. It is written in one pass, without buffering.
 */
#ifndef DMD_FILES_PROFILE_PROFILEWRITER_H
#define DMD_FILES_PROFILE_PROFILEWRITER_H

#include "base/jsonout.h"
#include "base/out.h"
#include "model/profile/profile.h"

void dmd_profilewriter_write(dmd_out_t *out, const dmd_profile_t *profile);

/* Writes one fault as an object; write_stack writes a stack in the document's form. */
void dmd_json_write_fault(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_fault_t *fault,
                          void (*write_stack)(void *ctx, uint32_t stack), void *ctx);

/* Writes one fault as members of the open object. */
void dmd_json_write_fault_members(dmd_jsonout_t *j, const dmd_profile_t *profile,
                                  const dmd_fault_t *fault,
                                  void (*write_stack)(void *ctx, uint32_t stack), void *ctx);

/* Writes the members that identify the run, from "command" to "label". */
void dmd_json_write_identity(dmd_jsonout_t *j, const dmd_profile_t *profile);

/* Writes the member "timeline", if the profile has one. */
void dmd_json_write_timeline(dmd_jsonout_t *j, const dmd_profile_t *profile);

/* Writes the member "reporterRuns", unless it would be empty. */
void dmd_json_write_reporter_runs(dmd_jsonout_t *j, const dmd_profile_t *profile);

#endif
