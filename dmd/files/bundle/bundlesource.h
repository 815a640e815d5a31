/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlesource.h: lines of source files in a bundle.
 *
 * For each file, the section has its name as in frames, the number of lines, and each line with its
 * number. A missing string ends the list of files.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLESOURCE_H
#define DMD_FILES_BUNDLE_BUNDLESOURCE_H

#include "files/bundle/bundle.h"

void dmd_imagesource_init(dmd_bundle_t *image);
void dmd_imagesource_destroy(dmd_bundle_t *image);

/* Reads the section, if there is one. False if it is damaged. */
bool dmd_imagesource_read(dmd_bundle_t *image);

#endif
