/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * count.h: guesses which member or constant has the number of elements of an array.
 */
#ifndef DMD_DERIVE_SUGGEST_COUNT_H
#define DMD_DERIVE_SUGGEST_COUNT_H

#include "derive/model.h"

/* Returns its name; NULL if nothing fits. The array's blocks can hold `least` to `most`
 * elements. */
const char *dmd_derive_guess_count(const dmd_derive_model_t *model,
                                   const dmd_derive_record_t *record,
                                   const dmd_derive_member_t *array, uint64_t least, uint64_t most);

#endif
