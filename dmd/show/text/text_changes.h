/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_changes.h: describes the difference between two profiles in sentences.
 */
#ifndef DMD_SHOW_TEXT_TEXT_CHANGES_H
#define DMD_SHOW_TEXT_TEXT_CHANGES_H

#include "analyse/records/changes.h"
#include "base/out.h"

/* Prints one sentence about the whole, then at most max_places places (0: all). */
void dmd_changes_print(dmd_out_t *out, const dmd_changes_t *changes, uint32_t max_places);

/* Parts of it: the sentence about the whole ("The heap went from ...") and the change at a place
 * ("Grown, unreported"). */
void dmd_changes_print_whole(dmd_out_t *out, const dmd_changes_t *changes);
void dmd_changes_print_kind(dmd_out_t *out, const dmd_place_t *place);

#endif
