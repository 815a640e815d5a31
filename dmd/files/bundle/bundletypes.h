/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundletypes.h: writes and reads types with their members. Reading restores all ids.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLETYPES_H
#define DMD_FILES_BUNDLE_BUNDLETYPES_H

#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlewriter.h"

/* Looks up the members of all types of nodes, and of the types contained in them. */
void dmd_imagetypes_look_up(dmd_types_t *types, const dmd_typing_t *typing);

void dmd_imagetypes_write(dmd_bundlewriter_t *w, const dmd_types_t *types);

/* Fills initialised, empty types. */
void dmd_imagetypes_read(dmd_bundlecursor_t *c, dmd_types_t *types);

/* ---- Bit fields. ----
 *
 * An optional section with the bytes that bit fields are in, which padding needs (analyse/waste):
 * for each its type, its place among the members, and how many bytes. */

void dmd_imagebitfields_write(dmd_bundlewriter_t *w, uint32_t graph, const dmd_types_t *types);

/* Fills in the members of types that were read. */
void dmd_imagebitfields_read(dmd_bundlecursor_t *c, dmd_types_t *types);

/* ---- Variables. ----
 *
 * An optional section of a bundle with the variables named in proposals for
 * owners (analyse/graph/proposal.h): their number, then object, address, type and name of
 * each. */

/* graph: the index of the graph. */
void dmd_imagevariables_write(dmd_bundlewriter_t *w, uint32_t graph,
                              const dmd_knownvariables_t *known);

/* Fills an empty collection, for a graph with n_objects objects and n_types types. */
void dmd_imagevariables_read(dmd_bundlecursor_t *c, dmd_knownvariables_t *known, uint32_t n_objects,
                             uint32_t n_types);

#endif
