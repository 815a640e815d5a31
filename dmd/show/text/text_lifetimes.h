/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_lifetimes.h: what stacks allocated in the whole run, and how long their blocks lived.
 */
#ifndef DMD_SHOW_TEXT_TEXT_LIFETIMES_H
#define DMD_SHOW_TEXT_TEXT_LIFETIMES_H

#include "base/out.h"
#include "model/profile/profile.h"

/* Largest first: the most bytes live at once, allocated bytes, temporary blocks, mean lifetime. */
typedef enum {
  DMD_LIFETIMES_BY_PEAK,
  DMD_LIFETIMES_BY_ALLOCATED,
  DMD_LIFETIMES_BY_TEMPORARY,
  DMD_LIFETIMES_BY_LIFETIME
} dmd_lifetimes_by_t;

/* The profile has lifetimes. Stacks whose first max_frames frames are equal are one. max_records 0:
 * all. */
void dmd_lifetimes_print(dmd_out_t *out, const dmd_profile_t *profile, dmd_lifetimes_by_t by,
                         uint32_t max_records, uint32_t max_frames);

#endif
