/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignorefile.h: reads a file of patterns, see analyse/limits/ignore.h.
 */
#ifndef DMD_DMDV_INPUT_IGNOREFILE_H
#define DMD_DMDV_INPUT_IGNOREFILE_H

#include "analyse/limits/ignore.h"
#include "base/fail.h"

/* Parses the file with this name. False, with *fail filled in and no patterns, if that fails.
 * Destroy it either way. */
bool dmdv_ignorefile_read(dmd_ignore_t *ignore, const char *name, dmd_fail_t *fail);

#endif
