/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * replacednew.h: a C++ program's own operator new that never runs.
 *
 * A host that stands in for the allocator replaces operator new too, also where the program or one
 * of its libraries has its own: one that counts, say. The program then does not do what it does
 * otherwise, and its user is told. Nothing is said of what is replaced as a matter of course:
 *
 * - the C++ library's own, which is also a part of a program that is linked with it statically. We
 *   know it by the functions that throw exceptions, which are in the same object. Where a program
 *   has both this library and an operator new of its own in it, its source tells whose it is;
 * without debug information nobody knows;
 * - that of an allocator, which comes with realloc.
 *
 * An operator new[] counts as one, alone too: the library's calls the plain one.
 *
 * Cost: two searches through the symbols of each object, where the object has such an operator two
 * more for it.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_REPLACEDNEW_H
#define DMD_ENGINE_REPLACEDNEW_H

#include "engine/host.h"

/* The path of the object, the program's before those of libraries, kept in the profile; NULL: there
 * is none, or the host does not know. */
const char *dmd_engine_find_replaced_new(const dmd_engine_host_t *host, dmd_profile_t *profile);

#endif
