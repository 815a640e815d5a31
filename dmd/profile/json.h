/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * json.h: writes a profile as a DMD version 5 document.
 *
 * The document is what Mozilla's script reads, plus the keys of docs/format.md: "dmd" at the top
 * and some in each block. It is written front to back in one pass; nothing is kept of it.
 */
#ifndef DMD_PROFILE_JSON_H
#define DMD_PROFILE_JSON_H

#include "base/out.h"
#include "profile/profile.h"

void dmd_json_write(dmd_out_t *out, const dmd_profile_t *profile);

#endif
