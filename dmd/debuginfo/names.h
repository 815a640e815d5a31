/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * names.h: names frames that a file knows only as addresses in objects.
 *
 * An object's file is searched as for types (debuginfo/debugfile.h): under its path or in the usual
 * folders; it must have the object's build id. Frames get the names that Valgrind gives them, so
 * that the files of both engines read alike: the function, demangled from its symbol; then inlined
 * calls, named by the debug information, the innermost first; each with the file and line of the
 * source. Without debug information, only symbols are used.
 *
 * Objects are opened when their first frame is looked up, and stay open. Opening takes time in
 * proportion to an object's symbols and units of debug information; a unit's functions and lines
 * are read when a frame is in it.
 *
 * dmdv_names_search adds folders to search: for separate debug information, and for Breakpad's
 * symbol files (debuginfo/breakpad.h), which it reads where an object's own files have no lines.
 *
 * In a build without libdw, frames stay as they are.
 */
#ifndef DMD_DEBUGINFO_NAMES_H
#define DMD_DEBUGINFO_NAMES_H

#include "model/profile/frame.h"

typedef struct dmdv_names dmdv_names_t;

/* The namer belongs to the names. dmdv_names_tell reports in one line how many frames have no
 * names, and which files are missing, if there were any such frames since its last call. */
dmdv_names_t *dmdv_names_new(bool shows_below_main);
const dmd_namer_t *dmdv_names_namer(const dmdv_names_t *names);
/* How many places the namer had to name, and how many it could name. */
typedef struct dmdv_names_counts {
  uint64_t n_asked, n_named;
} dmdv_names_counts_t;

/* Call search before the namer is used. Folders may be NULL; the texts must outlive the names. From
 * then on frames that have a function but no line are named, too. */
void dmdv_names_search(dmdv_names_t *names, const char *debug_folder, const char *symbol_folder);

/* Only adds a folder of separate debug information. */
void dmdv_names_search_debug(dmdv_names_t *names, const char *debug_folder);
dmdv_names_counts_t dmdv_names_counts(const dmdv_names_t *names);
void dmdv_names_tell(dmdv_names_t *names);
void dmdv_names_free(dmdv_names_t *names);

#endif
