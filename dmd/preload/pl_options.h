/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_options.h: what the user wants, from the environment; and what becomes of the environment.
 *
 * Concurrency: written before the program runs, read only from then on.
 */
#ifndef DMD_PRELOAD_PL_OPTIONS_H
#define DMD_PRELOAD_PL_OPTIONS_H

#include "engine/nativeoptions.h"
#include "engine/options.h"

extern dmd_options_t g_options;
extern dmd_native_options_t g_native_options;

/* Reads DMD_OPTIONS. False, and the user has been told why, where something is wrong. */
bool pl_options_read(void);

/* Takes the engine out of the environment: programs that the program starts are not watched. */
void pl_options_hide(void);

#endif
