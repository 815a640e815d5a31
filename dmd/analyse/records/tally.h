/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tally.h: blocks added up by report state.
 *
 * In modes without reports everything is in DMD_SECTION_ALL. Values are signed, since those of a
 * difference may be negative.
 */
#ifndef DMD_ANALYSE_RECORDS_TALLY_H
#define DMD_ANALYSE_RECORDS_TALLY_H

#include "analyse/records/record.h"
#include "model/profile/profile.h"

typedef struct dmd_tally {
  int64_t usable[DMD_N_SECTIONS], total; /* bytes */
  int64_t num;                           /* blocks */
} dmd_tally_t;

/* Adds num blocks with szB bytes in total. */
static inline void dmd_tally_add(dmd_tally_t *tally, dmd_section_t section, int64_t num,
                                 int64_t szB) {
  tally->usable[section] += szB;
  tally->total += szB;
  tally->num += num;
}

/* Adds all bytes of a group. */
static inline void dmd_tally_add_group(dmd_tally_t *tally, dmd_section_t section,
                                       const dmd_profile_t *profile, const dmd_group_t *g) {
  dmd_tally_add(tally, section, dmd_group_blocks(profile, g), dmd_group_usable(profile, g));
}

#endif
