/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cast.h: pointers that DMD_OWNS_AS gives another type than C does.
 *
 * A program may keep a pointer to one of its structs as a `void *`. The word names the struct; once
 * all headers are read, the member's type becomes what the word says, and the word DMD_DERIVE_OWNS.
 */
#ifndef DMD_DERIVE_CAST_H
#define DMD_DERIVE_CAST_H

#include "derive/model.h"

/* Of all members of a model that was just read. A word that names no measured struct, or is for no
 * pointer, stays as it is, which check.h says. */
void dmd_derive_cast(dmd_derive_model_t *model);

#endif
