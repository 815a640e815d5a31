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

/* Parts of it: the sentence on the whole, "The heap went from ...", and what happened at a place,
 * such as "Grown, unreported". */
void dmd_changes_print_whole(dmd_out_t *out, const dmd_changes_t *changes);
void dmd_changes_print_kind(dmd_out_t *out, const dmd_place_t *place);

#endif
