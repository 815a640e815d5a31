/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocfns.h: finds who allocated: the first frame of a stack that does more than allocate for its
 * callers.
 *
 * Functions that only allocate for callers are recognised by name: allocation functions and
 * wrappers, everything in the C++ library, and those that the user names (dmd_frame_view_t). The
 * code of allocators, of the C library and of Valgrind's replacements is recognised by its object.
 * Only the innermost frames are skipped, up to the first other one: a matching function further out
 * is not. Judging is slower than a look-up, and a frame occurs in many stacks, so each frame of a
 * profile is judged once.
 */
#ifndef DMD_ANALYSE_RECORDS_ALLOCFNS_H
#define DMD_ANALYSE_RECORDS_ALLOCFNS_H

#include "model/profile/profile.h"

/* True if a function with this name is an allocation function, or a wrapper of one, or unknown
 * (NULL). The list is that of Mozilla's script, plus jemalloc's mallocx, rallocx etc. */
bool dmd_is_alloc_fn(const char *function);

/* Whether the function allocates for its callers: a pattern of the view matches it, with or without
 * return type, parameters and template arguments, or its name is in the lists of allocfns.c (also
 * in docs/reference/commands.md). Unnamed functions and main never do. */
typedef enum { DMD_ALLOCATES_NOT, DMD_ALLOCATES_BY_VIEW, DMD_ALLOCATES_BY_NAME } dmd_allocates_t;

dmd_allocates_t dmd_allocates_for_callers(const dmd_env_t *env, const dmd_location_t *location,
                                          const dmd_frame_view_t *view);

/* True if the object with this path is an allocator, the C library (which allocates for its
 * callers, too), or Valgrind's part in the program. */
bool dmd_is_alloc_object(const char *path);

typedef struct dmd_allocfns {
  const dmd_profile_t *profile;
  dmd_pool_t judged; /* by frame id */
} dmd_allocfns_t;

/* For the frames of this profile. Frames may be added to it later. */
void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile);
void dmd_allocfns_destroy(dmd_allocfns_t *fns);

/* True if a frame of the profile satisfies dmd_is_alloc_fn, or matches a pattern of its view. */
bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame);

/* The index of the frame that allocated: the first of the n frames that does more than allocate for
 * its callers; an unnamed function counts if its object is known, unless its caller, in the same
 * object, is a wrapper by name. Otherwise: the first with a name that is not an allocation
 * function's, else the first in an object that is not Valgrind's, else the innermost. */
size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n);

/* True if the stack has a frame of the first kind, rather than a substitute. */
bool dmd_has_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n);

#endif
