/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * json.h: writes a profile as a DMD version 5 document.
 *
 * The document is what Mozilla's script reads, plus the keys of docs/format.md: "dmd" at the top
 * and some in each block. It is written front to back in one pass; nothing is kept of it.
 *
 * Concurrency: nothing locks; that of the profile.
 */
#ifndef DMD_PROFILE_JSON_H
#define DMD_PROFILE_JSON_H

#include "base/jsonout.h"
#include "base/out.h"
#include "profile/profile.h"

void dmd_json_write(dmd_out_t *out, const dmd_profile_t *profile);

/* Writes one fault as an object; write_stack writes a stack as the document wants it. */
void dmd_json_write_fault(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_fault_t *fault,
                          void (*write_stack)(void *ctx, uint32_t stack), void *ctx);

/* The same as members of the object that is open. */
void dmd_json_write_fault_members(dmd_jsonout_t *j, const dmd_profile_t *profile,
                                  const dmd_fault_t *fault,
                                  void (*write_stack)(void *ctx, uint32_t stack), void *ctx);

/* Writes the members that say which run the profile is of, from "command" to "label". */
void dmd_json_write_identity(dmd_jsonout_t *j, const dmd_profile_t *profile);

/* Writes the member "reporterRuns"; nothing where there are none. */
void dmd_json_write_reporter_runs(dmd_jsonout_t *j, const dmd_profile_t *profile);

#endif
