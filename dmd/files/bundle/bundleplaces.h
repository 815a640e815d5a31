/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundleplaces.h: writes and reads a graph's objects, codes, stacks and roots. Reading restores all
 * ids.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLEPLACES_H
#define DMD_FILES_BUNDLE_BUNDLEPLACES_H

#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlewriter.h"

void dmd_imageplaces_write(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap);

/* The graph must already have its columns, and its profile the names. */
void dmd_imageplaces_read(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap);

#endif
