/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * preloadable.h: decides from a program's file whether the loader will preload a library into it.
 *
 * It must be linked dynamically and for the same processor as the library. It must not be setuid or
 * otherwise gain rights, since the loader then ignores the environment.
 */
#ifndef DMD_DMDV_RUN_PRELOADABLE_H
#define DMD_DMDV_RUN_PRELOADABLE_H

#include <stdbool.h>

/* Looks for the program as execvp does. False, with a line on stderr, if it cannot be preloaded. A
 * program that cannot be found or read counts as preloadable: starting it reports the error. */
bool dmdv_check_preloadable(const char *program);

#endif
