/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * suggest.h: dmd-derive --suggest: proposals for a model's pointers, printed as compilers print.
 */
#ifndef DMD_DERIVE_PROGRAM_SUGGEST_H
#define DMD_DERIVE_PROGRAM_SUGGEST_H

#include "derive/model.h"

/* Prints what the heap graph in this file shows (derive/suggest/suggest.h). debug_dir: NULL: none.
 * Returns the exit status: 0; 1 where no pointer lacks words; 2, with the reason on standard error,
 * where the graph cannot be read. */
int dmd_derive_suggest_for(const dmd_derive_model_t *model, const char *graph,
                           const char *debug_dir);

#endif
