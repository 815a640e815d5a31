/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * origin.h: of which build a run is, and in which environment it was made, as far as this machine
 * knows.
 *
 * A build is a commit: of the variables of GitHub, GitLab and Jenkins where they are set, or of
 * git's checkout. What a run's figures may depend on is its environment: the C library and the
 * kernel by their first two numbers, since later ones fix faults, who made the processor, and the
 * allocator. Further lines are the user's.
 */
#ifndef DMD_READER_HISTORY_ORIGIN_H
#define DMD_READER_HISTORY_ORIGIN_H

#include "base/strbuf.h"
#include "profile/profile.h"

/* Append the build's name and its branch; nothing where they cannot be found out. */
void dmdv_origin_build(dmd_strbuf_t *to);
void dmdv_origin_branch(dmd_strbuf_t *to);

/* When the commit was made, or now if git does not know it; in seconds since 1970. */
int64_t dmdv_origin_time(const char *build);

/* Appends lines KEY=VALUE, sorted. own: the user's, n of them, which win over what is found; one
 * with no value takes its key out. */
void dmdv_origin_environment(dmd_strbuf_t *to, const dmd_profile_t *profile, const char *const *own,
                             size_t n);

#endif
