/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/commandline/namer.h"

#include "debuginfo/names.h"

#include <stddef.h>

static dmdv_names_t *g_names; /* NULL: not needed so far */

const dmd_namer_t *dmdv_namer(void) {
  if (g_names == NULL)
    g_names = dmdv_names_new(false);
  return dmdv_names_namer(g_names);
}

void dmdv_naming_end(bool did_work) {
  if (g_names == NULL)
    return;
  if (did_work)
    dmdv_names_tell(g_names);
  dmdv_names_free(g_names);
  g_names = NULL;
}
