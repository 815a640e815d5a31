/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * complete.h: the words that a shell offers while a command line is being typed.
 *
 * `dmdv complete WORD...` answers for all shells, from the commands' own tables of options; the
 * files in completions/ only pass on the line and show the answer. The WORDs are those of the line
 * up to the cursor, the program's own name first; the last one is being typed, and may be empty.
 * The program is dmdv, or valgrind if it runs dmd; of valgrind's options only those of dmd are
 * known.
 *
 * The answer's first line has its kind:
 *   words           the lines below: whole words, such as --format=dhat, each followed by a tab and
 *                   its meaning. A word that ends in = needs a value.
 *   files PREFIX    file names, each after PREFIX, the beginning of the word, which may be empty
 *   program N       word N, counted from 0, is a program; the line is its own from there on
 *
 * If there is nothing to offer, nothing is printed.
 */
#ifndef DMD_DMDV_COMMANDLINE_COMPLETE_H
#define DMD_DMDV_COMMANDLINE_COMPLETE_H

#include "dmdv/commandline/commandline.h"

/* Prints the answer. words has n words, at least one, and a NULL; commands is NULL-terminated. */
void dmdv_complete(const dmdv_command_t *const *commands, char **words, int n);

#endif
