/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * overview.h: prints what matters most about profiles, a screen each (show/text/text_overview.h).
 */
#ifndef DMD_DMDV_RUN_OVERVIEW_H
#define DMD_DMDV_RUN_OVERVIEW_H

#include "dmdv/run/written.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which of the n > 0 profiles of a run matters: the one with the largest peak, the last of equal
 * ones; *n_files is n. If they have too many bytes to look, it is the last one, and *n_files is 1.
 */
size_t dmdv_overview_choose(const dmdv_written_t *written, size_t n, uint32_t *n_files);

/* At the end of a run: prints to stderr. how and n_files: see dmd_overview_t. False, with the
 * reason on stderr, if the profile cannot be read. */
bool dmdv_overview_of_run(const char *name, const char *how, uint32_t n_files, bool is_json);

/* Prints all records of the profile as the engine would have done, with those of its options. */
void dmdv_records_of_run(const char *name, int n_options, char **options);

/* Opens the profile's page in a browser. */
void dmdv_page_of_run(const char *name);

/* `dmdv FILE...`: prints to standard output, as JSON one object for each file. Returns dmdv's exit
 * status. */
int dmdv_overview_of_files(int n, char **names, bool is_json);

#endif
