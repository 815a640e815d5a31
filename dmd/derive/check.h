/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * check.h: finds faults in the annotations of a model.
 *
 * Each pointer of a measured struct must have a word that says who owns the memory, and each word
 * must make sense in its place. If there are no faults, the output of write.h compiles.
 */
#ifndef DMD_DERIVE_CHECK_H
#define DMD_DERIVE_CHECK_H

#include "derive/model.h"

/* Called for each fault, in the order of the headers, with its place and one sentence. */
typedef void (*dmd_derive_complain_fn)(void *ctx, const dmd_derive_place_t *place,
                                       const char *fault);

/* Returns the number of faults. */
unsigned dmd_derive_check(const dmd_derive_model_t *model, dmd_derive_complain_fn complain,
                          void *ctx);

#endif
