/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlevariables.h: an optional section of a bundle with the variables named in proposals for
 * owners (analyse/graph/knownvariables.h): their number, then object, address, type and name of
 * each.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLEVARIABLES_H
#define DMD_FILES_BUNDLE_BUNDLEVARIABLES_H

#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlewriter.h"

/* graph: the index of the graph. */
void dmd_imagevariables_write(dmd_bundlewriter_t *w, uint32_t graph,
                              const dmd_knownvariables_t *known);

/* Fills an empty collection, for a graph with n_objects objects and n_types types. */
void dmd_imagevariables_read(dmd_bundlecursor_t *c, dmd_knownvariables_t *known, uint32_t n_objects,
                             uint32_t n_types);

#endif
