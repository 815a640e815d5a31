/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagevariables.h: the names of variables that proposals for a graph's owners have
 * (graph/knownvariables.h), as a section of an image: how many, then object, address, type and name
 * of each. An image need not have it.
 */
#ifndef DMD_IMAGE_IMAGEVARIABLES_H
#define DMD_IMAGE_IMAGEVARIABLES_H

#include "image/imagecursor.h"
#include "image/imagewriter.h"

/* Of the graph with this index. */
void dmd_imagevariables_write(dmd_imagewriter_t *w, uint32_t graph,
                              const dmd_knownvariables_t *known);

/* Fills an empty collection, for a graph with so many objects and types. */
void dmd_imagevariables_read(dmd_imagecursor_t *c, dmd_knownvariables_t *known, uint32_t n_objects,
                             uint32_t n_types);

#endif
