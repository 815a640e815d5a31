/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_waste_advice.h: what to do about a finding of waste, in one or two sentences.
 */
#ifndef DMD_SHOW_TEXT_TEXT_WASTE_ADVICE_H
#define DMD_SHOW_TEXT_TEXT_WASTE_ADVICE_H

#include "analyse/waste/waste.h"

/* Appends it. Names are escaped. */
void dmd_waste_advice(dmd_strbuf_t *to, const dmd_waste_t *waste,
                      const dmd_waste_finding_t *finding);

/* The member that dominates a block: for equal blocks, the place where one could serve all. */
const char *dmd_waste_holder(const dmd_waste_t *waste, uint32_t node);

/* True for untouched blocks whose ends were certainly not written. */
bool dmd_waste_is_never_written(const dmd_waste_t *waste, const dmd_waste_finding_t *finding);

#endif
