/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * native.h: a program that runs with the native engine (dmd/preload): how it is told its options,
 * and what is left to do with the files that it wrote.
 *
 * The engine writes frames without names, and says nothing of what is in a profile. Both are made
 * up for here: a profile is written again with names, and its text is printed where the engine
 * would have, on standard error or in the file of --log-file.
 */
#ifndef DMD_READER_COMMAND_NATIVE_H
#define DMD_READER_COMMAND_NATIVE_H

#include "engine/nativeoptions.h"
#include "engine/options.h"
#include "reader/names/names.h"

typedef struct dmdv_native {
  dmd_options_t options;
  dmd_native_options_t own; /* what is asked of this engine alone */
  dmd_strbuf_t given;       /* all options, as the engine reads them */
  dmdv_names_t *names;
} dmdv_native_t;

/* Must be destroyed, whatever follows. */
void dmdv_native_init(dmdv_native_t *native);
void dmdv_native_destroy(dmdv_native_t *native);

/* Takes an option for the engine, as "--mode=live". False, with a line on stderr, where there is no
 * such option, or the value is not one. */
bool dmdv_native_take(dmdv_native_t *native, const char *option);

/* Whether the options go together; else says what is wrong. */
bool dmdv_native_check(const dmdv_native_t *native);

/* Runs argv[0] with the engine, as dmdv_child_run does. Where it cannot be watched or started, or
 * the engine is not there, *has_run is false, it says why, and returns one of the statuses in
 * child.h. */
int dmdv_native_run(const dmdv_native_t *native, const char *const *argv, bool *has_run);

/* Names the frames of a profile that was written, and prints its text unless the user wants it
 * quiet. What is not a regular file is left alone. */
void dmdv_native_finish(dmdv_native_t *native, const char *path);

#endif
