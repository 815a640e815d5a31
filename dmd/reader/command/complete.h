/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * complete.h: what a shell offers for the word that is being typed.
 *
 * `dmdv complete WORD...` answers for all shells, from the commands' own tables of options; the
 * files in completions/ only pass on the line and show the answer. The WORDs are those of the line
 * up to the cursor, the program's own name first; the last is the one that is being typed, and may
 * be empty. The program is dmdv or, where it runs dmd, valgrind, of which the options of dmd alone
 * are known here.
 *
 * The answer's first line says what there is to offer:
 *
 *   words           the lines below: whole words, such as --format=dhat, each followed by a tab and
 *                   what it means. A word that ends in = waits for a value.
 *   files PREFIX    names of files, each after PREFIX, the word's own beginning, which may be empty
 *   program N       word N, counted from 0, is a program; the line is its own from there on
 *
 * If there is nothing to offer, nothing is printed.
 */
#ifndef DMD_READER_COMMAND_COMPLETE_H
#define DMD_READER_COMMAND_COMPLETE_H

#include "reader/command/commandline.h"

/* Prints the answer. words are n, at least one, and a NULL; commands are followed by a NULL. */
void dmdv_complete(const dmdv_command_t *const *commands, char **words, int n);

#endif
