/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imageplaces.h: what stands beside the nodes of a graph, written and read: objects, codes, stacks
 * and roots. All ids are the same again.
 */
#ifndef DMD_IMAGE_IMAGEPLACES_H
#define DMD_IMAGE_IMAGEPLACES_H

#include "image/imagecursor.h"
#include "image/imagewriter.h"

void dmd_imageplaces_write(dmd_imagewriter_t *w, const dmd_heapgraph_t *heap);

/* Into a graph whose profile has its names, and whose columns are there. */
void dmd_imageplaces_read(dmd_imagecursor_t *c, dmd_heapgraph_t *heap);

#endif
