/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * names.h: names of frames that a file knows only as places in objects.
 *
 * An object's file is looked for as types are (reader/types/debugfile.h): under its path or in the
 * usual folders, and it must have the object's build id. A place in it is named as Valgrind names
 * it, so that files of both engines read alike: the function around it by its symbol, demangled;
 * inlined calls by their names in the debug information, the innermost first; each with the file
 * and line of the source. Without debug information there are symbols alone.
 *
 * Objects are opened when the first of their frames is asked for, and stay open. Once, in
 * proportion to an object's symbols and units of debug information; a unit's functions and lines
 * are read when a frame is in it.
 *
 * In a build without libdw frames stay as they are.
 */
#ifndef DMD_READER_NAMES_NAMES_H
#define DMD_READER_NAMES_NAMES_H

#include "profile/naming.h"

typedef struct dmdv_names dmdv_names_t;

/* The namer is the names'. dmdv_names_tell says, in one line, how many frames have no names and for
 * want of which files, if there are any such frames since it was called last. */
dmdv_names_t *dmdv_names_new(bool shows_below_main);
const dmd_namer_t *dmdv_names_namer(const dmdv_names_t *names);
void dmdv_names_tell(dmdv_names_t *names);
void dmdv_names_free(dmdv_names_t *names);

#endif
