/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * places.h: readable names of the function, file and library that allocated.
 *
 * These are taken from a stack's first own frame (allocfns.h). A library's name is the last part of
 * its path, unless another object of the profile has the same one. Unknown names are texts in
 * parentheses.
 */
#ifndef DMD_ANALYSE_RECORDS_PLACES_H
#define DMD_ANALYSE_RECORDS_PLACES_H

#include "analyse/records/allocfns.h"
#include "base/strbuf.h"

typedef struct dmd_places {
  const dmd_profile_t *profile;
  dmd_allocfns_t allocfns;
  bool knows_objects;        /* the following are filled in: */
  dmd_intern_t object_names; /* the last parts of the objects' paths, */
  dmd_pool_t objects;        /* and by their ids the object */
} dmd_places_t;

/* For a profile whose objects are complete. Must not move until it is destroyed. */
void dmd_places_init(dmd_places_t *places, const dmd_profile_t *profile);
void dmd_places_destroy(dmd_places_t *places);

/* The frame of a stack that allocated; DMD_NONE: the stack was not recorded or has no frames. */
uint32_t dmd_places_own_frame(dmd_places_t *places, uint32_t stack);

/* Append the names of a frame; for DMD_NONE, that no stack was recorded. */
void dmd_places_function(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);
void dmd_places_library(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);
void dmd_places_file(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);

/* `decode (image.c:88)`; `decode` if its line is unknown, and `libimage.so+0x1234` if its name is.
 */
void dmd_places_line(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);

#endif
