/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sizefunctions.h: finds functions in a program or library whose names say that they return how
 * much memory something takes, for --claim-fn.
 *
 * The symbols are those of the file, or of its debug information if that is installed. A name is a
 * guess: some such functions return the size of a struct or of a message instead.
 */
#ifndef DMD_DEBUGINFO_SIZEFUNCTIONS_H
#define DMD_DEBUGINFO_SIZEFUNCTIONS_H

#include "base/intern.h"

/* Adds the functions' names, as stacks have them. False, with a line on stderr, if the file has no
 * symbols that can be read, or in a build without libdw. */
bool dmdv_size_functions(const char *path, dmd_intern_t *names);

#endif
