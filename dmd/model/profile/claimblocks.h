/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimblocks.h: reasons of wrong amounts that only the blocks of a dump reveal.
 *
 * When a reporter ends, dmd knows only sums of what it measured. At a dump the blocks are known: an
 * amount may be off by exactly one of the reporter's blocks, or by exactly the unreported blocks
 * from one stack that its blocks point to (hint.h), in usable or requested bytes. If so, and if
 * no better reason is known, this becomes the fault's reason.
 *
 * With many blocks, one of them fits any number. So a reason is given only if exactly one
 * allocation stack fits, and if the number of candidates would fit a number of that size by chance
 * in at most one of 8 cases: sizes are multiples of 8.
 */
#ifndef DMD_MODEL_PROFILE_CLAIMBLOCKS_H
#define DMD_MODEL_PROFILE_CLAIMBLOCKS_H

#include "model/profile/profile.h"

/* Sets such reasons in wrong claims and memory reports that have no reason, or the size of a
 * structure. Faults that become equal are merged. Linear. */
void dmd_claimblocks_explain(dmd_profile_t *profile);

#endif
