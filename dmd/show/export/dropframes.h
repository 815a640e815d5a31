/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dropframes.h: the functions that a profiler need not show because they only allocate for others.
 *
 * pprof leaves out functions whose names match a regular expression in the profile, together with
 * their callees, so that the leaves are the functions that allocated instead of malloc. The
 * expression matches the functions called by the one that allocated (analyse/records/allocfns.h),
 * except those that are further out in other stacks.
 */
#ifndef DMD_SHOW_EXPORT_DROPFRAMES_H
#define DMD_SHOW_EXPORT_DROPFRAMES_H

#include "analyse/records/sums.h"
#include "base/strbuf.h"

/* sums: n_sums sets of a profile, or of its two moments; stacks that lifetimes are known of count,
 * too. Appends the names without parameters,
 * quoted and separated by |, or nothing without names. Walks each stack once, and reads each
 * frame's name at most twice. */
void dmd_drop_frames(dmd_strbuf_t *regexp, const dmd_profile_t *profile,
                     const dmd_sums_t *const *sums, size_t n_sums);

#endif
