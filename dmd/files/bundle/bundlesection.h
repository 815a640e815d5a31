/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlesection.h: finds the sections of a mapped bundle; used only within files/bundle.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLESECTION_H
#define DMD_FILES_BUNDLE_BUNDLESECTION_H

#include "files/bundle/bundle.h"

typedef struct dmd_bundle_section {
  uint32_t kind, index;
  char *bytes; /* aligned to 8 */
  size_t n;
} dmd_bundle_section_t;

/* Finds a section by kind and index; NULL if not found. */
const dmd_bundle_section_t *dmd_bundle_find(const dmd_bundle_t *image, dmd_bundle_kind_t kind,
                                            uint32_t index);

#endif
