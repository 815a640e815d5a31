/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * native.h: runs a program with the native engine (dmd/native): passes its options, and finishes
 * its profiles.
 *
 * The engine writes frames without names, and prints no records. dmdv does both afterwards: it adds
 * names to the profiles, and prints their text where the engine would have, on standard error or in
 * the file of --log-file.
 */
#ifndef DMD_DMDV_RUN_NATIVE_H
#define DMD_DMDV_RUN_NATIVE_H

#include "debuginfo/names.h"
#include "dmdv/run/runlog.h"
#include "host/child.h"
#include "host/output.h"
#include "record/engine/nativeoptions.h"
#include "record/engine/options.h"

typedef struct dmdv_native {
  dmd_options_t options;
  dmd_native_options_t own; /* options that only this engine has */
  dmd_strbuf_t given;       /* all options, as the engine reads them */
  dmdv_names_t *names;
  bool is_checked; /* by the caller: the program is preloadable (preloadable.h) */
  dmdv_runlog_t log;
} dmdv_native_t;

/* Appends the path of libdmd.so: beside dmdv in its build folder, otherwise where it is installed.
 * False, after a line on stderr, if it is missing. */
bool dmdv_native_find(dmd_strbuf_t *path);

/* Whether the engine is there, and whether it has this option. */
bool dmdv_native_is_installed(void);
bool dmdv_native_knows(const char *option);

/* Destroy it in any case. */
void dmdv_native_init(dmdv_native_t *native);
void dmdv_native_destroy(dmdv_native_t *native);

/* Takes an option for the engine, such as "--mode=live". False, with a line on stderr, if the
 * option is unknown or its value is invalid. */
bool dmdv_native_take(dmdv_native_t *native, const char *option);

/* Whether the options fit together. If not, reports why on stderr. */
bool dmdv_native_check(const dmdv_native_t *native);

/* Runs argv[0] with the engine, as dmdv_child_run does. If the program cannot be watched or
 * started, or the engine is missing, sets *has_run to false, reports why, and returns a status of
 * child.h. */
int dmdv_native_run(dmdv_native_t *native, const char *const *argv,
                    const dmdv_meanwhile_t *meanwhile, bool *has_run);

/* Loads the profile in these bytes, with names for its frames. False, after a line on stderr and
 * with nothing to destroy, if they are not one. */
bool dmdv_native_load(dmdv_native_t *native, const char *name, const void *bytes, size_t n,
                      dmd_profile_t *profile);

/* Writes the profile in these bytes under this name, with names for its frames, and prints its text
 * unless the user wants it quiet. If the bytes are not a profile, writes them unchanged, after a
 * line on stderr. False, after telling report, if the file could not be written. */
bool dmdv_native_write(dmdv_native_t *native, const char *name, const void *bytes, size_t n,
                       dmdv_report_t report);

/* Finishes a profile that already has this name, in the same way. Leaves anything alone that is not
 * a regular file of dmdv's user. */
void dmdv_native_finish(dmdv_native_t *native, const char *path);

#endif
