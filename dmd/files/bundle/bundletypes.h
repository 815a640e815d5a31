/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundletypes.h: writes and reads types with their members. Reading restores all ids.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLETYPES_H
#define DMD_FILES_BUNDLE_BUNDLETYPES_H

#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlewriter.h"

/* Looks up the members of all types of nodes, and of the types contained in them. */
void dmd_imagetypes_look_up(dmd_types_t *types, const dmd_typing_t *typing);

void dmd_imagetypes_write(dmd_bundlewriter_t *w, const dmd_types_t *types);

/* Fills initialised, empty types. */
void dmd_imagetypes_read(dmd_bundlecursor_t *c, dmd_types_t *types);

#endif
