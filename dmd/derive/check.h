/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * check.h: what is wrong with the annotations of a model.
 *
 * Each pointer of a measured struct must have a word that says whose the memory is, and each word
 * must make sense where it stands. What write.h makes of a model without faults compiles.
 */
#ifndef DMD_DERIVE_CHECK_H
#define DMD_DERIVE_CHECK_H

#include "derive/model.h"

/* Hears of each fault, in the order of the headers, where it is and in one sentence what it is. */
typedef void (*dmd_derive_complain_fn)(void *ctx, const dmd_derive_place_t *place,
                                       const char *fault);

/* Returns how many faults there are. */
unsigned dmd_derive_check(const dmd_derive_model_t *model, dmd_derive_complain_fn complain,
                          void *ctx);

#endif
