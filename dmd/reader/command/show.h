/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * show.h: from a profile to printed records, as the options want them.
 */
#ifndef DMD_READER_COMMAND_SHOW_H
#define DMD_READER_COMMAND_SHOW_H

#include "reader/command/options.h"

/* Loads the file into an uninitialised profile. False, with the reason on stderr and nothing to
 * destroy, when that fails. */
bool dmdv_load_or_say(dmd_profile_t *profile, const char *name, const dmdv_load_options_t *options);

/* For dmd_records_filter: whether a printed line of the record's allocation stack contains the
 * filter, a string; begins it with '!', whether none does; a leading backslash is dropped. */
bool dmdv_filter_passes(void *filter, const dmd_records_t *records, const dmd_record_t *record);

/* Prints the profile's records; old is the first profile of a difference, else NULL. argc and argv
 * are the command's, for the title. False, with the reason on stderr, when it cannot. */
bool dmdv_show(dmd_profile_t *profile, const dmd_profile_t *old, const dmdv_options_t *options,
               int argc, char **argv);

#endif
