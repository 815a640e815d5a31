/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * build.h: makes profiles in a few lines, for tests of code that works on them.
 *
 *   build_blocks(&profile, 2, 150, 50, "new|knead|main", DMD_NONE);
 *
 * Names and stacks are given as texts, and NULL is DMD_NONE. Values that do not fit cause a panic.
 */
#ifndef TESTS_PROFILES_BUILD_H
#define TESTS_PROFILES_BUILD_H

#include "model/profile/profile.h"

/* The id of a name, for example of a reporter. */
uint32_t build_name(dmd_profile_t *profile, const char *name);

/* The id of a stack given as "innermost|next|outermost"; "" is a stack without frames. A frame is
 * its text, followed by "@/lib/x.so" if its object is also known. */
uint32_t build_stack(dmd_profile_t *profile, const char *frames);

/* The id of a report set of count reports, whose first two were made at these stacks within these
 * reporters. */
uint32_t build_reports(dmd_profile_t *profile, uint32_t count, const char *first,
                       const char *first_reporter, const char *second, const char *second_reporter);

/* The id of the set of n reports, all shared, by the reporters of these names. Each was made at a
 * stack of its own: "NAME|all", or "none|all" where there is no reporter. */
uint32_t build_shared(dmd_profile_t *profile, const char *const *owners, size_t n);

/* Adds num blocks, each of req requested and slop further bytes. */
void build_blocks(dmd_profile_t *profile, int64_t num, int64_t req, int64_t slop,
                  const char *frames, uint32_t reports);

/* As above, with a tag. */
void build_tagged(dmd_profile_t *profile, int64_t num, int64_t req, int64_t slop,
                  const char *frames, uint32_t reports, const char *tag);

/* Adds a fault that happened num times. */
void build_fault(dmd_profile_t *profile, dmd_fault_kind_t kind, uint64_t num, const char *frames,
                 const char *reporter);

/* Adds that `bytes` of the blocks from `alloc` are in one block held at this offset. */
void build_hint(dmd_profile_t *profile, const char *alloc, dmd_referrer_kind_t kind,
                const char *reporter, const char *referrer, uint32_t offset, uint64_t bytes);

#endif
