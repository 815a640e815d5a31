/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_overview.h: what matters most about a profile, on one screen: at most 40 lines.
 *
 * It begins with the figures of the peak and of the dump. If reporters ran, the largest blocks
 * follow that none of them measured, or that two did. Otherwise it lists the places that allocated
 * most, at the peak or at the dump. Each place is the program's own. Then come the findings that
 * are worth a look (analyse/findings/findings.h), as many as fit, and faults.
 */
#ifndef DMD_SHOW_TEXT_TEXT_OVERVIEW_H
#define DMD_SHOW_TEXT_TEXT_OVERVIEW_H

#include "base/out.h"
#include "model/profile/profile.h"

typedef struct dmd_overview {
  const char *how;  /* how the program ran and ended, such as "native engine, exit status 0"; NULL:
                       unknown */
  const char *file; /* for the commands that show more */
  uint32_t n_files; /* of the run, of which this one has the largest peak; 0 or 1: no others */
  /* From the heap graph of the same moment, each NULL if it is unknown: */
  const struct dmd_owner_hint *owners;
  const struct dmd_waste *waste;
  const struct dmd_claimrules *claims;
  const char *left_out; /* a sentence on what is missing; NULL: nothing */
} dmd_overview_t;

/* For a profile with both moments (DMD_MOMENT_ALL in model/profile/profile.h), which is as before
 * afterwards. */
void dmd_overview_print(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview);

/* All findings as JSON, of which the screen has the largest: docs/format.md, The screen. */
void dmd_overview_json(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview);

#endif
