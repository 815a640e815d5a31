/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_options.h: reads the user's options from the environment, and hides the engine there.
 *
 * Concurrency: written before the program runs; read-only after that.
 */
#ifndef DMD_NATIVE_PL_OPTIONS_H
#define DMD_NATIVE_PL_OPTIONS_H

#include "record/engine/nativeoptions.h"
#include "record/engine/options.h"

extern dmd_options_t g_options;
extern dmd_native_options_t g_native_options;

/* Reads options as in DMD_OPTIONS; NULL: none. Returns false, after reporting why, if something is
 * wrong. */
bool pl_options_read(const char *given);

/* Removes our library from a list as in LD_PRELOAD, in place. */
void pl_options_cut_library(char *list);

/* Removes the engine from the environment, so that programs started by this one are not
 * recorded. */
void pl_options_hide(void);

#endif
