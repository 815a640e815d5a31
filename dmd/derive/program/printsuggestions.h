/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * printsuggestions.h: dmd-derive --suggest: proposals for a model's pointers, printed as compilers
 * print.
 */
#ifndef DMD_DERIVE_PROGRAM_PRINTSUGGESTIONS_H
#define DMD_DERIVE_PROGRAM_PRINTSUGGESTIONS_H

#include "derive/model.h"

/* Prints proposals from the heap graph in this file (derive/suggest/suggest.h). debug_dir may be
 * NULL. Returns the exit status: 0; 1 if no pointer lacks words; 2, with the reason on standard
 * error, if the graph cannot be read. */
int dmd_derive_suggest_for(const dmd_derive_model_t *model, const char *graph,
                           const char *debug_dir);

#endif
