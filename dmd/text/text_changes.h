/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_changes.h: what happened between two profiles, in sentences.
 */
#ifndef DMD_TEXT_TEXT_CHANGES_H
#define DMD_TEXT_TEXT_CHANGES_H

#include "analysis/changes.h"
#include "base/out.h"

/* Prints one sentence on the whole and then the places, so many at most (0: all). */
void dmd_changes_print(dmd_out_t *out, const dmd_changes_t *changes, uint32_t max_places);

#endif
