/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * clamp.h: interprets the words of a profile of mode scan as pointers, like Mozilla's script with
 * --clamp-contents.
 *
 * A word that is an address in a block becomes the address of the block's start, any other word 0;
 * trailing zeroes of a block are dropped. (Unlike in Mozilla's script, the address of an empty
 * block counts as an address in it.)
 */
#ifndef DMD_ANALYSE_TRANSFORM_CLAMP_H
#define DMD_ANALYSE_TRANSFORM_CLAMP_H

#include "analyse/records/addresses.h"

/* Number of words of each kind. */
typedef struct dmd_clamped {
  uint64_t starts, interiors; /* addresses of a block's start, and of its interior */
  uint64_t others, zeroes;    /* neither; and words that were 0 already */
} dmd_clamped_t;

/* Returns false, with the reason in *why and the profile unchanged, if addresses.h does not accept
 * the blocks. */
bool dmd_clamp(dmd_profile_t *profile, dmd_clamped_t *clamped, dmd_strbuf_t *why);

#endif
