/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * places.h: how people know the function, the file and the library that allocated.
 *
 * Of a stack that is its first own frame (allocfns.h). A library is called by the last part of its
 * path, if no other object of the profile is called so. What is not known is called so, in
 * brackets.
 */
#ifndef DMD_ANALYSIS_PLACES_H
#define DMD_ANALYSIS_PLACES_H

#include "analysis/allocfns.h"
#include "base/strbuf.h"

typedef struct dmd_places {
  const dmd_profile_t *profile;
  dmd_allocfns_t allocfns;
  bool knows_objects;        /* the following are filled: */
  dmd_intern_t object_names; /* the last parts of the objects' paths, */
  dmd_pool_t objects;        /* and by their ids the object that has it */
} dmd_places_t;

/* For a profile whose objects are all known. Must stay where it is until it is destroyed. */
void dmd_places_init(dmd_places_t *places, const dmd_profile_t *profile);
void dmd_places_destroy(dmd_places_t *places);

/* The frame of a stack that allocated; DMD_NONE: the stack was not recorded, or has none. */
uint32_t dmd_places_own_frame(dmd_places_t *places, uint32_t stack);

/* Append the names of a frame, or that no stack was recorded, of DMD_NONE. */
void dmd_places_function(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);
void dmd_places_library(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);
void dmd_places_file(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);

#endif
