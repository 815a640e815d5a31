/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocfns.h: who allocated, that is, which frame of a stack is the first that does not only
 * allocate for its callers.
 *
 * Such functions are known by name: allocation functions and wrappers around them, all of the C++
 * library's, and those that the user names (dmd_frame_view_t). All of an allocator's own code, of
 * the C library and of what stands in for an allocator under Valgrind is known by its object. Only
 * the innermost frames count, up to the first that is none of this: a function of such a name
 * further out is not passed over. To judge takes longer than to look a number up, and a frame is in
 * many stacks. So each frame of a profile is judged once.
 */
#ifndef DMD_ANALYSIS_ALLOCFNS_H
#define DMD_ANALYSIS_ALLOCFNS_H

#include "profile/profile.h"

/* Whether a function of this name is an allocator's, a wrapper's around one, or unknown (NULL). The
 * list is that of Mozilla's script, and jemalloc's mallocx, rallocx and the like. */
bool dmd_is_alloc_fn(const char *function);

/* Whether the function there allocates for its callers: a pattern of the view matches it, with or
 * without return type, parameters and template arguments, or its name is in the lists of
 * allocfns.c, which the manual has too. One without a name does not, nor does main. */
typedef enum { DMD_ALLOCATES_NOT, DMD_ALLOCATES_BY_VIEW, DMD_ALLOCATES_BY_NAME } dmd_allocates_t;

dmd_allocates_t dmd_allocates_for_callers(const dmd_env_t *env, const dmd_location_t *location,
                                          const dmd_frame_view_t *view);

/* Whether the object with this path is an allocator, the C library, which allocates for its callers
 * too, or Valgrind's part in the program. */
bool dmd_is_alloc_object(const char *path);

typedef struct dmd_allocfns {
  const dmd_profile_t *profile;
  dmd_pool_t judged; /* by frame id */
} dmd_allocfns_t;

/* For the frames of this profile. Frames may be added to it meanwhile. */
void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile);
void dmd_allocfns_destroy(dmd_allocfns_t *fns);

/* Of a frame of the profile: dmd_is_alloc_fn, or a pattern of its view. */
bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame);

/* The first of a stack's n frames, by its number from 0, that is nothing of this: the one that
 * allocated. A function without a name counts where its object is known. Where there is none, the
 * first that has a name which is no allocation function's, or else an object that is not
 * Valgrind's, or else the innermost. */
size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n);

/* Whether there is one, and not only something to do in its place. */
bool dmd_has_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n);

#endif
