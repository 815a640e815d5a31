/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * show.h: from a profile to printed records, as the options want them.
 */
#ifndef DMD_READER_COMMAND_SHOW_H
#define DMD_READER_COMMAND_SHOW_H

#include "analysis/merge.h"
#include "reader/command/options.h"
#include "text/text_owners.h"

/* Loads the file into an uninitialised profile. False, with the reason on stderr and nothing to
 * destroy, when that fails. */
bool dmdv_load_or_say(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options);

/* Writes the profile to the file with this name, gzipped if that ends in .gz, or to standard output
 * where it is NULL. False, with the reason on stderr, when it cannot be written. */
bool dmdv_write_profile(const dmd_profile_t *profile, const char *output);

/* The same of one that was loaded from this very file, for the names that its frames have got
 * since: frames that stacks no longer have are left out. */
bool dmdv_write_named(const dmd_profile_t *profile, const char *name);

/* Whether the profiles of two files are of one mode; a scan is as good as one of mode live. If not,
 * says so on stderr, and what that means, such as "they cannot be compared". */
bool dmdv_are_of_one_mode(const char *name, dmd_mode_t mode, const char *other_name,
                          dmd_mode_t other_mode, const char *meaning);

/* The same of how they were sampled (profile/sampled.h). */
bool dmdv_are_sampled_alike(const char *name, const dmd_profile_t *profile, const char *other_name,
                            const dmd_profile_t *other, const char *meaning);

/* Prints the profile's records. compared: the two profiles that it is the difference of; NULL: it
 * is none. owners: of the heap graph of the same moment; NULL: there is none. argc and argv are the
 * command's, for the title. False, with the reason on stderr, if that fails. */
bool dmdv_show(dmd_profile_t *profile, const dmd_profile_t *const compared[2],
               const dmd_owner_advice_t *owners, const dmdv_options_t *options, int argc,
               char **argv);

/* Loads the files, which must be of one mode, into an uninitialised merge and finishes it, each of
 * a process of its own where these are to be kept. False, with the reason on stderr, when it
 * cannot. Destroy it either way. */
bool dmdv_merge_files(dmd_merge_t *merge, const dmdv_files_t *files, bool keep_processes,
                      const dmd_load_options_t *load);

#endif
