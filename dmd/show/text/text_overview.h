/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_overview.h: what matters most about a profile, on one screen: at most 40 lines.
 *
 * It begins with the figures of the peak and of the dump. If reporters ran, the largest blocks
 * follow that none of them measured, or that two did. Otherwise it lists the places that allocated
 * most, at the peak or at the dump. Each place is the program's own. Faults come last.
 */
#ifndef DMD_SHOW_TEXT_TEXT_OVERVIEW_H
#define DMD_SHOW_TEXT_TEXT_OVERVIEW_H

#include "base/out.h"
#include "model/profile/profile.h"

typedef struct dmd_overview {
  const char *how;  /* how the program ran and ended, such as "native engine, exit status 0"; NULL:
                       unknown */
  const char *file; /* for the commands that show more */
  const struct dmd_owner_hint *owners; /* from the heap graph of the same moment; or NULL */
} dmd_overview_t;

/* For a profile with both moments (DMD_MOMENT_ALL in model/profile/profile.h), which is as before
 * afterwards. */
void dmd_overview_print(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview);

#endif
