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

#include <stdbool.h>

/* ---- The checkout. ----
 *
 * Asks git about the commits that builds are named after.
 *
 * Only a name of letters and digits can be a commit's, so no name reaches git as an option. It is
 * no error if git is missing, or does not know the commits, as in a shallow checkout. */

/* Appends the first line of git's output. arguments ends with NULL; folder is NULL for the current
 * one. False, with nothing appended, if git fails. */
bool dmdv_checkout_ask(dmd_strbuf_t *to, const char *folder, const char *const *arguments);

/* The number of commits after one build, up to and including another; 0: git does not know. If
 * there are several, `next` gets the one to try next in a bisection. */
int64_t dmdv_checkout_between(dmd_strbuf_t *next, const char *folder, const char *after,
                              const char *build);

/* ---- The origin of a run. ---- */

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
