/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glib_strings.h: a struct of a program's, with GLib's in it.
 */
#ifndef PERF_STRUCTS_GLIB_STRINGS_H
#define PERF_STRUCTS_GLIB_STRINGS_H

#include <glib.h>

#include "glib_by_hand.h"

struct DMD_MEASURED strings {
  DMD_MEASURED_BY(table_by_hand) GHashTable *table;
  DMD_OWNS_LIST DMD_OWNS char **names; /* as g_strsplit makes them */
};

#endif
