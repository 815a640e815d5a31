/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile_amounts.h: a profile as amounts of memory by path.
 *
 * What a reporter of a profile measured is the sum of the usable bytes of the blocks that it
 * reported. So of a profile:
 *
 *   the reporter's own path      heap bytes; a block that was reported twice counts for both
 *                                reports, as it does where the program sums them up itself; a
 *                                shared one counts for each owner with its share
 *   explicit/(unnamed reporter)  blocks reported outside of any reporter, less what the program
 *                                published as heap without having a reporter of that path
 *   explicit/tags/NAME           blocks that nobody reported, by their tag; not where the program
 *                                published them, under this path or any with this very amount
 *   heap-allocated               the usable bytes of all blocks
 *   heap-overhead, resident,     as the tool measured them, where it could
 *   resident-unique
 *   what the program published   but not where reporters measured this path, or where the amount is
 *                                the sum of what they measured below it
 *
 * A reporter that calls itself by one of the names that are derived (heap-allocated, heap-overhead,
 * resident, resident-unique, explicit/heap-unclassified, and twice-reported of an export) gets
 * " (reporter)" put behind it, and what the program published of itself under such a name
 * " (published)". Units do not mix in a tree: of
 * what was published, amounts in other units than the tree's come into a tree beside it, such as
 * "cache (count)" beside "cache"; so do amounts under explicit that are not of memory.
 */
#ifndef DMD_ANALYSIS_PROFILE_AMOUNTS_H
#define DMD_ANALYSIS_PROFILE_AMOUNTS_H

#include "analysis/amounts.h"
#include "profile/profile.h"

/* Figures of the profile that its tree does not show. */
typedef struct dmd_coverage {
  int64_t heap_szB;  /* usable, all blocks */
  int64_t twice_szB; /* of blocks reported twice or more */
  int64_t twice_blocks;
} dmd_coverage_t;

/* Adds the amounts of a profile to an initialised collection, under this process name. NULL, or why
 * that cannot be done. */
const char *dmd_amounts_of_profile(dmd_amounts_t *m, const dmd_profile_t *profile,
                                   const char *process, dmd_coverage_t *coverage);

/* "NAME (pid N)", the name being the program's without its folder; "(unknown process)"
 * for another program's profile. The caller gives it back to the profile's env. */
char *dmd_process_name(const dmd_profile_t *profile);

#endif
