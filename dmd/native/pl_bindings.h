/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_bindings.h: makes the objects of a running program call our functions, and later its own
 * again. A library that is preloaded needs none of this: there the loader binds them.
 *
 * An object calls a function of another object through a slot in its global offset table (GOT).
 * Each slot that holds, or when first used would get, the address of a function that we replace
 * (libdmd.map) gets ours. A slot is one aligned word, written atomically: a thread that calls
 * through it calls either function. So threads may run meanwhile, even inside the allocator.
 *
 * Not bound: the loader, pointers to these functions that the program keeps elsewhere, and objects
 * with a malloc of their own that only they call.
 *
 * Concurrency: one thread at a time, without the engine lock. Takes the loader's lock.
 */
#ifndef DMD_NATIVE_PL_BINDINGS_H
#define DMD_NATIVE_PL_BINDINGS_H

#include <stdbool.h>

/* Looks up the program's functions. Call once, after pl_real_find. our_dlopen stands in for dlopen,
 * which only an attached engine replaces: it has to bind what was loaded. */
void pl_bindings_start(void *(*our_dlopen)(const char *, int));

/* All loaded objects call our functions, or the program's. Slots that do already are left alone, so
 * it may be repeated when objects were loaded. */
void pl_bindings_set(bool to_ours);

#endif
