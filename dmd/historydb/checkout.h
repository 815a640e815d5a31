/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * checkout.h: asks git about the commits that builds are named after.
 *
 * Only a name of letters and digits can be a commit's, so no name reaches git as an option. It is
 * no error if git is missing, or does not know the commits, as in a shallow checkout.
 */
#ifndef DMD_HISTORYDB_CHECKOUT_H
#define DMD_HISTORYDB_CHECKOUT_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Appends the first line of git's output. arguments ends with NULL; folder is NULL for the current
 * one. False, with nothing appended, if git fails. */
bool dmdv_checkout_ask(dmd_strbuf_t *to, const char *folder, const char *const *arguments);

/* Whether it may be the name of a commit. */
bool dmdv_checkout_is_name(const char *build);

/* The number of commits after one build, up to and including another; 0: git does not know. If
 * there are several, `next` gets the one to try next in a bisection. */
int64_t dmdv_checkout_between(dmd_strbuf_t *next, const char *folder, const char *after,
                              const char *build);

#endif
