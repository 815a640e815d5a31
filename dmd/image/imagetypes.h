/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagetypes.h: types with their members, written and read. All ids are the same again.
 */
#ifndef DMD_IMAGE_IMAGETYPES_H
#define DMD_IMAGE_IMAGETYPES_H

#include "image/imagecursor.h"
#include "image/imagewriter.h"

/* Asks for the members of all types that nodes have, and of those that are parts of them. */
void dmd_imagetypes_look_up(dmd_types_t *types, const dmd_typing_t *typing);

void dmd_imagetypes_write(dmd_imagewriter_t *w, const dmd_types_t *types);

/* Fills initialised, empty types. */
void dmd_imagetypes_read(dmd_imagecursor_t *c, dmd_types_t *types);

#endif
