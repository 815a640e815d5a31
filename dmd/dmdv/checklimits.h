/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * checklimits.h: the options of dmdv check that are limits.
 *
 * The struct must be the first member of the struct that the command line is read into, since the
 * options of a table have one target.
 */
#ifndef DMD_DMDV_CHECKLIMITS_H
#define DMD_DMDV_CHECKLIMITS_H

#include "analyse/limits/gate.h"
#include "base/optiontable.h"

typedef struct dmdv_checklimits {
  dmd_limit_t *limits;
  size_t n;
} dmdv_checklimits_t;

extern const dmd_option_table_t dmdv_checklimit_table;

/* With room for the limits of so many arguments. */
void dmdv_checklimits_init(dmdv_checklimits_t *limits, int argc);
void dmdv_checklimits_destroy(dmdv_checklimits_t *limits);

#endif
