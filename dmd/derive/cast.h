/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cast.h: resolves DMD_OWNS_AS, which gives pointers another type than C does.
 *
 * A program may keep a pointer to one of its structs as a `void *`; the word names the struct.
 * After all headers were read, the member's type becomes that struct, and the word becomes
 * DMD_DERIVE_OWNS.
 */
#ifndef DMD_DERIVE_CAST_H
#define DMD_DERIVE_CAST_H

#include "derive/model.h"

/* Resolves all members of a model that was just read. If a word does not name a measured struct or
 * has no pointer, it stays, and check.h reports it. */
void dmd_derive_cast(dmd_derive_model_t *model);

#endif
