/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * overview.h: prints what matters most about profiles, a screen each (show/text/text_overview.h).
 */
#ifndef DMD_DMDV_RUN_OVERVIEW_H
#define DMD_DMDV_RUN_OVERVIEW_H

#include <stdbool.h>

/* At the end of a run: prints to stderr. how: see dmd_overview_t. False, with the reason on stderr,
 * if the profile cannot be read. */
bool dmdv_overview_of_run(const char *name, const char *how);

/* `dmdv FILE...`: prints to standard output, as JSON one object for each file. Returns dmdv's exit
 * status. */
int dmdv_overview_of_files(int n, char **names, bool is_json);

#endif
