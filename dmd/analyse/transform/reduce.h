/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reduce.h: shrinks a profile for a reader that cannot take all of it.
 *
 * As many as possible of the stacks with the most bytes are kept. Blocks of all other stacks get
 * the stack "(smaller records)"; those with equal reports, tag and thread are merged, with sizes
 * that preserve the sums. So all totals except those by stack stay: of sections, reporters, tags
 * and the heap. If a merged profile keeps processes separate, they stay separate.
 *
 * Faults, hints, memory reports and the run are unchanged. Profiles of mode scan are not reduced,
 * since each block has its own address.
 */
#ifndef DMD_ANALYSE_TRANSFORM_REDUCE_H
#define DMD_ANALYSE_TRANSFORM_REDUCE_H

#include "analyse/records/addresses.h"
#include "model/profile/profile.h"

#define DMD_SMALLER_RECORDS "(smaller records)"

typedef struct dmd_reduce_limits {
  uint64_t max_groups; /* groups of blocks */
  uint64_t max_frames; /* total over all stacks of blocks */
} dmd_reduce_limits_t;

/* Counts of merged items. */
typedef struct dmd_reduced {
  uint64_t stacks, groups, bytes;
} dmd_reduced_t;

/* True if a profile exceeds the limits. */
bool dmd_reduce_is_needed(const dmd_profile_t *profile, const dmd_reduce_limits_t *limits);

/* Fills an initialised, empty profile. The groups for smaller records come on top of the limits. */
dmd_reduced_t dmd_reduce(dmd_profile_t *to, const dmd_profile_t *from,
                         const dmd_reduce_limits_t *limits);

/* ---- Clamping. ----
 *
 * Interprets the words of a profile of mode scan as pointers, like Mozilla's script with
 * --clamp-contents.
 *
 * A word that is an address in a block becomes the address of the block's start, any other word 0;
 * trailing zeroes of a block are dropped. (Unlike in Mozilla's script, the address of an empty
 * block counts as an address in it.) */

/* Number of words of each kind. */
typedef struct dmd_clamped {
  uint64_t starts, interiors; /* addresses of a block's start, and of its interior */
  uint64_t others, zeroes;    /* neither; and words that were 0 already */
} dmd_clamped_t;

/* Returns false, with the reason in *why and the profile unchanged, if addresses.h does not accept
 * the blocks. */
bool dmd_clamp(dmd_profile_t *profile, dmd_clamped_t *clamped, dmd_strbuf_t *why);

#endif
