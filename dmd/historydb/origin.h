/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * origin.h: finds out the build of a run, and the environment in which it ran, as far as this
 * machine knows.
 *
 * A build is a commit: from the variables of GitHub, GitLab and Jenkins if they are set, otherwise
 * from git's checkout. The environment is what a run's metrics may depend on: the C library and the
 * kernel with the first two numbers of their versions, since later numbers stand for bug fixes; the
 * processor's vendor; and the allocator. Users add further lines.
 */
#ifndef DMD_HISTORYDB_ORIGIN_H
#define DMD_HISTORYDB_ORIGIN_H

#include "base/strbuf.h"
#include "model/profile/profile.h"

/* Append the build's name and its branch; nothing if they cannot be found out. */
void dmdv_origin_build(dmd_strbuf_t *to);
void dmdv_origin_branch(dmd_strbuf_t *to);

/* The time of the commit, or the current time if git does not know it; in seconds since 1970. */
int64_t dmdv_origin_time(const char *build);

/* Appends lines KEY=VALUE, sorted. own: n lines of the user, which override those found; a line
 * without a value removes its key. */
void dmdv_origin_environment(dmd_strbuf_t *to, const dmd_profile_t *profile, const char *const *own,
                             size_t n);

#endif
