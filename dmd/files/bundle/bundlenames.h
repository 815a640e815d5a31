/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlenames.h: writes and reads what a graph's profile has: the run, names, frames, stacks and
 * report sets. Reading restores all ids.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLENAMES_H
#define DMD_FILES_BUNDLE_BUNDLENAMES_H

#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlewriter.h"

void dmd_imagenames_write(dmd_bundlewriter_t *w, const dmd_profile_t *profile);

/* Fills an initialised, empty profile, up to the first error. */
void dmd_imagenames_read(dmd_bundlecursor_t *c, dmd_profile_t *profile);

/* ---- Objects, codes, stacks and roots. ----
 *
 * Writes and reads a graph's objects, codes, stacks and roots. Reading restores all
 * ids. */

void dmd_imageplaces_write(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap);

/* The graph must already have its columns, and its profile the names. */
void dmd_imageplaces_read(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap);

#endif
