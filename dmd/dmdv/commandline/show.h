/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * show.h: loads profiles and prints their records according to the options.
 */
#ifndef DMD_DMDV_COMMANDLINE_SHOW_H
#define DMD_DMDV_COMMANDLINE_SHOW_H

#include "analyse/transform/merge.h"
#include "dmdv/commandline/recordoptions.h"
#include "host/output.h"
#include "show/text/text_graph.h"

/* Reports that the file lacks the records of the peak. Returns false. */
bool dmdv_error_no_peak(const char *name);

/* Loads the file into an uninitialised profile. False, with the reason on stderr and nothing to
 * destroy, if that fails, or if the profile lacks the moment. */
bool dmdv_load_or_say(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options);

/* Writes the profile to the file with this name, gzipped if that ends in .gz, or to standard output
 * if it is NULL. False, with the reason on stderr, if it cannot be written. */
bool dmdv_write_profile(const dmd_profile_t *profile, const char *output);

/* Writes the profile to an open file, and closes it. file may be NULL: it could not be opened, and
 * stderr has the reason. */
bool dmdv_write_profile_to(const dmd_profile_t *profile, dmdv_output_t *file);

/* Whether the profiles of two files have the same mode; scan and live count as the same. If not,
 * reports it on stderr with the consequence, such as "they cannot be compared". */
bool dmdv_are_of_one_mode(const char *name, dmd_mode_t mode, const char *other_name,
                          dmd_mode_t other_mode, const char *meaning);

/* Whether they were sampled alike (model/profile/profile.h); reports it in the same way. */
bool dmdv_are_sampled_alike(const char *name, const dmd_profile_t *profile, const char *other_name,
                            const dmd_profile_t *other, const char *meaning);

/* Prints the profile's records. compared: the two profiles that it is the difference of; NULL if it
 * is not a difference. owners: from the heap graph of the same moment; NULL without one. argc and
 * argv are the command's, for the title. False, with the reason on stderr, if that fails. */
bool dmdv_show(dmd_profile_t *profile, const dmd_profile_t *const compared[2],
               const dmd_owner_hint_t *owners, const dmdv_options_t *options, int argc,
               char **argv);

/* Loads the files, which must have the same mode, into an uninitialised merge and finishes it.
 * keep_processes: each file becomes a separate process. False, with the reason on stderr, if that
 * fails. Destroy it either way. */
bool dmdv_merge_files(dmd_merge_t *merge, const dmdv_files_t *files, bool keep_processes,
                      const dmd_load_options_t *load);

#endif
