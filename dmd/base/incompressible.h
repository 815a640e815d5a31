/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * incompressible.h: detects incompressible bytes, on which compression would waste time.
 *
 * Decides by a sample of 1 KiB, in two microseconds: bytes are incompressible if hardly any byte
 * value is more frequent than others, and hardly any five bytes repeat. Repetitions at a distance
 * larger than the sample are not seen.
 */
#ifndef DMD_BASE_INCOMPRESSIBLE_H
#define DMD_BASE_INCOMPRESSIBLE_H

#include <stdbool.h>
#include <stddef.h>

/* False for fewer bytes than the sample. */
bool dmd_is_noise(const char *bytes, size_t n);

#endif
