/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * preloadable.h: whether the loader puts a preloaded library into a program, as far as its file
 * says so: it must be linked dynamically, for the same processor as the library, and must not get
 * rights that its user does not have, since the loader then takes nothing from the environment.
 */
#ifndef DMD_READER_COMMAND_PRELOADABLE_H
#define DMD_READER_COMMAND_PRELOADABLE_H

#include <stdbool.h>

/* False, with a line on stderr, where a program that is looked for as execvp does cannot be watched
 * so. A program that cannot be found or read is for whoever starts it to complain about. */
bool dmdv_check_preloadable(const char *program);

#endif
