/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagenames.h: what a graph's profile has, written and read: the run, names, frames, stacks and
 * report sets. All ids are the same again.
 */
#ifndef DMD_IMAGE_IMAGENAMES_H
#define DMD_IMAGE_IMAGENAMES_H

#include "image/imagecursor.h"
#include "image/imagewriter.h"

void dmd_imagenames_write(dmd_imagewriter_t *w, const dmd_profile_t *profile);

/* Fills an initialised, empty profile, as far as nothing is wrong. */
void dmd_imagenames_read(dmd_imagecursor_t *c, dmd_profile_t *profile);

#endif
