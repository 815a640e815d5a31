/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagesource.h: lines of source files in an image.
 *
 * The section has for each file its name, as frames have it, how many lines there are, and each
 * line with its number; after the last file comes a string that is missing.
 */
#ifndef DMD_IMAGE_IMAGESOURCE_H
#define DMD_IMAGE_IMAGESOURCE_H

#include "image/image.h"

void dmd_imagesource_init(dmd_image_t *image);
void dmd_imagesource_destroy(dmd_image_t *image);

/* Reads the section, where there is one. False where it is damaged. */
bool dmd_imagesource_read(dmd_image_t *image);

#endif
