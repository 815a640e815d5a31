/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * clamp.h: makes of the words of a profile of mode scan what they mean as pointers, as Mozilla's
 * script does with --clamp-contents.
 *
 * A word that is an address in a block becomes the address of that block's start, any other 0, and
 * zeroes at the end of a block's words are left out. (Unlike Mozilla's script this takes the
 * address of a block of no bytes for one in it.)
 */
#ifndef DMD_ANALYSIS_CLAMP_H
#define DMD_ANALYSIS_CLAMP_H

#include "analysis/addresses.h"

/* How many words were what. */
typedef struct dmd_clamped {
  uint64_t starts, interiors; /* addresses of a block's start, and in it */
  uint64_t others, zeroes;    /* neither; and those that were 0 before */
} dmd_clamped_t;

/* False, with what is wrong in *why, where blocks are not as addresses.h wants them; the profile
 * then is as it was. */
bool dmd_clamp(dmd_profile_t *profile, dmd_clamped_t *clamped, dmd_strbuf_t *why);

#endif
