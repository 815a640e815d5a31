/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * count.h: which member or constant says how many elements an array has.
 */
#ifndef DMD_DERIVE_SUGGEST_COUNT_H
#define DMD_DERIVE_SUGGEST_COUNT_H

#include "derive/model.h"

/* Its name; NULL: none looks so. Blocks have room for `least` to `most` elements. */
const char *dmd_derive_guess_count(const dmd_derive_model_t *model,
                                   const dmd_derive_record_t *record,
                                   const dmd_derive_member_t *array, uint64_t least, uint64_t most);

#endif
