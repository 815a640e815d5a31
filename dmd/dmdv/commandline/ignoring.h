/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignoring.h: the file of a command's option --ignore.
 */
#ifndef DMD_DMDV_COMMANDLINE_IGNORING_H
#define DMD_DMDV_COMMANDLINE_IGNORING_H

#include "analyse/limits/ignore.h"

/* Reads the file with this name; NULL: no file, and no patterns. False, with the reason on stderr,
 * if that fails. Destroy it either way. */
bool dmdv_ignore_read(dmd_ignore_t *ignore, const char *name);

/* Warns on stderr about patterns that ignored nothing. */
void dmdv_ignore_warn(const dmd_ignore_t *ignore, const char *name);

#endif
