/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * checkout.h: what git says of the commits that builds are named after.
 *
 * A name that is not of letters and digits alone is no commit's: none reaches git as an option.
 * Where git is missing, or does not know the commits, as in a shallow checkout, it is no error.
 */
#ifndef DMD_READER_HISTORY_CHECKOUT_H
#define DMD_READER_HISTORY_CHECKOUT_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Appends the first line that git prints, called with these arguments, the last of which is NULL,
 * in a folder (NULL: where dmdv is). False, with nothing appended, where it fails. */
bool dmdv_checkout_ask(dmd_strbuf_t *to, const char *folder, const char *const *arguments);

/* Whether it may be a commit's name. */
bool dmdv_checkout_is_name(const char *build);

/* How many commits came after one build, up to and with another; 0: git does not know. With more
 * than one, `next` gets the one to try next for a bisection. */
int64_t dmdv_checkout_between(dmd_strbuf_t *next, const char *folder, const char *after,
                              const char *build);

#endif
