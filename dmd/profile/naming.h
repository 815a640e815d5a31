/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * naming.h: how addresses of code become frames, and frames that lack names get them.
 *
 * At an address there is one function, and further ones that were inlined there: each is a frame of
 * its own. What called main is left out, unless the user wants to see it. Whoever knows names may
 * be an engine, when it writes a file; or a reader, where the file has only objects and the places
 * in them: a *namer* then finds the names while the file is read. Frames that have no name then are
 * *nameless*.
 *
 * Concurrency: nothing locks.
 */
#ifndef DMD_PROFILE_NAMING_H
#define DMD_PROFILE_NAMING_H

#include "profile/frame.h"

/* A function that an address lies in, an inlined one or the one around these. */
typedef struct dmd_function {
  const char *name; /* as it is printed, demangled; "" where it has none */
  const char *file; /* NULL: where in the source the address is, is not known */
  uint32_t line;
  bool is_inlined;
} dmd_function_t;

typedef void (*dmd_function_fn)(void *visitor, const dmd_function_t *function);

typedef enum { DMD_CODE_OTHER, DMD_CODE_MAIN, DMD_CODE_BELOW_MAIN } dmd_code_kind_t;

/* The frame of one function at an address; of `at` the object, its build id and the offset count.
 * An inlined call has no place of its own in the object, but where nothing else is known of it. */
uint32_t dmd_frames_add_function(dmd_frames_t *frames, const dmd_function_t *function,
                                 const dmd_location_t *at);

/* How many of a stack's n addresses, the innermost first, are shown: up to main or, where that is
 * not there, up to the first below it. kind_of says what the i-th is. */
uint32_t dmd_stack_shown(uint32_t n, dmd_code_kind_t (*kind_of)(const void *ctx, uint32_t i),
                         const void *ctx);

typedef struct dmd_namer {
  void *ctx;
  bool shows_below_main;
  /* Visits all functions at a place, as dmd_frames_add_function has it, inlined ones first. False,
   * and none was visited: nothing is known of it. *kind is that of the function around all. */
  bool (*functions)(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                    dmd_code_kind_t *kind);
} dmd_namer_t;

#endif
