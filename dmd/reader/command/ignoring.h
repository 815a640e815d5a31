/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignoring.h: the ignore file of a command's --ignore.
 */
#ifndef DMD_READER_COMMAND_IGNORING_H
#define DMD_READER_COMMAND_IGNORING_H

#include "analysis/ignore.h"

/* Reads the file with this name; NULL: there is none, and no pattern. False, with the reason on
 * stderr, when that fails. Destroy it either way. */
bool dmdv_ignore_read(dmd_ignore_t *ignore, const char *name);

/* Says on stderr which patterns ignored nothing. */
void dmdv_ignore_warn(const dmd_ignore_t *ignore, const char *name);

#endif
