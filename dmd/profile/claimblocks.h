/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimblocks.h: reasons of wrong amounts that only the blocks of a dump can tell.
 *
 * When a reporter ends, only sums are known of what it measured. At a dump the blocks are there: an
 * amount may be off by just one of the blocks that the reporter reported, or by just the blocks of
 * one place that nobody reported and its blocks point to (advice.h), usable or requested bytes.
 * Where that is so, and nothing better is known, it is the fault's reason.
 *
 * Where a reporter has many blocks, one of them fits any number. So a reason is given only if there
 * is one place of allocation that fits, and if so many sizes as there are candidates would fit a
 * number of that size by chance in at most one of 8 cases: sizes are multiples of 8.
 */
#ifndef DMD_PROFILE_CLAIMBLOCKS_H
#define DMD_PROFILE_CLAIMBLOCKS_H

#include "profile/profile.h"

/* Gives such reasons to claims and memory reports that are wrong and have none, or the size of a
 * structure. Two that become equal are one. Linear. */
void dmd_claimblocks_explain(dmd_profile_t *profile);

#endif
