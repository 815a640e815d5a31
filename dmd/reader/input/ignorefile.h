/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ignorefile.h: a file of patterns, see analysis/ignore.h.
 */
#ifndef DMD_READER_INPUT_IGNOREFILE_H
#define DMD_READER_INPUT_IGNOREFILE_H

#include "analysis/ignore.h"
#include "base/fail.h"

/* Parses the file with this name. False, with *fail filled in, if that fails; there are then no
 * patterns. Destroy it either way. */
bool dmdv_ignorefile_read(dmd_ignore_t *ignore, const char *name, dmd_fail_t *fail);

#endif
