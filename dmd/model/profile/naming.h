/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * naming.h: turns code addresses into frames, and names frames that lack a name.
 *
 * An address lies in one function and possibly in functions inlined there; each is a frame. Callers
 * of main are left out unless the user wants them. Names come from an engine, when it writes a
 * file, or from a *namer*, when a file that has only objects and offsets is read. Frames that still
 * have no name are *nameless*.
 */
#ifndef DMD_MODEL_PROFILE_NAMING_H
#define DMD_MODEL_PROFILE_NAMING_H

#include "model/profile/frame.h"

/* A function at an address: an inlined one, or the one around them. */
typedef struct dmd_function {
  const char *name; /* demangled, as printed; "": without one */
  const char *file; /* NULL: the place in the source is unknown */
  uint32_t line;
  bool is_inlined;
} dmd_function_t;

typedef void (*dmd_function_fn)(void *visitor, const dmd_function_t *function);

typedef enum { DMD_CODE_OTHER, DMD_CODE_MAIN, DMD_CODE_BELOW_MAIN } dmd_code_kind_t;

/* Returns the frame of one function at an address, of which `at` gives the object, its build id and
 * the offset. An inlined call has its own offset only if nothing else is known about it. */
uint32_t dmd_frames_add_function(dmd_frames_t *frames, const dmd_function_t *function,
                                 const dmd_location_t *at);

/* The number of a stack's n addresses, innermost first, to show: up to main or, without it, up to
 * the first below it. kind_of returns the kind of the i-th address. */
uint32_t dmd_stack_shown(uint32_t n, dmd_code_kind_t (*kind_of)(const void *ctx, uint32_t i),
                         const void *ctx);

typedef struct dmd_namer {
  void *ctx;
  bool shows_below_main;
  /* Visits all functions at a place for dmd_frames_add_function, inlined ones first. Returns false
   * without a visit if nothing is known about it. *kind is that of the outermost function. */
  bool (*functions)(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                    dmd_code_kind_t *kind);
} dmd_namer_t;

#endif
