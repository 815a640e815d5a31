/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dropframes.h: which functions a profiler need not show, since they only allocate for others.
 *
 * pprof leaves out, together with what they call, the functions whose names a regular expression in
 * the profile matches, so that the leaves are those that allocated and not malloc. These are the
 * functions inside of the one that allocated (analysis/allocfns.h), in any stack; not those that
 * are elsewhere, in other stacks, what it is all about.
 */
#ifndef DMD_EXPORT_DROPFRAMES_H
#define DMD_EXPORT_DROPFRAMES_H

#include "analysis/sums.h"
#include "base/strbuf.h"

/* Appends the names, without parameters and quoted, with | in between; nothing where there are
 * none. Walks each stack once, and reads each frame's name at most twice. */
void dmd_drop_frames(dmd_strbuf_t *regexp, const dmd_profile_t *profile, const dmd_sums_t *sums);

#endif
