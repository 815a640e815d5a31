/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagesection.h: the sections of an image that is mapped, for the parts of dmd/image.
 */
#ifndef DMD_IMAGE_IMAGESECTION_H
#define DMD_IMAGE_IMAGESECTION_H

#include "image/image.h"

typedef struct dmd_image_section {
  uint32_t kind, index;
  char *bytes; /* at a multiple of 8 */
  size_t n;
} dmd_image_section_t;

/* NULL where there is none. */
const dmd_image_section_t *dmd_image_find(const dmd_image_t *image, dmd_image_kind_t kind,
                                          uint32_t index);

#endif
