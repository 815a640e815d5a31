/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * replacednew.h: detects a C++ program's own operator new that never runs.
 *
 * A host that replaces the allocator also replaces operator new, even if the program or one of its
 * libraries defines its own, for example one that counts. The program then behaves differently, so
 * dmd warns the user. Definitions that are replaced as a matter of course are ignored:
 * - that of the C++ library, which may also be linked into the program statically. The library is
 *   recognised by the functions that throw exceptions, in the same object. If a program contains
 *   both the library and an operator new of its own, the source file tells them apart; without
 *   debug information this is unknown;
 * - that of an allocator, which also defines realloc.
 *
 * An operator new[] counts even on its own: the library's version calls the plain operator new.
 *
 * Cost: two symbol searches per object, and two more in objects that have such an operator.
 */
#ifndef DMD_RECORD_ENGINE_REPLACEDNEW_H
#define DMD_RECORD_ENGINE_REPLACEDNEW_H

#include "record/host.h"

/* Path of the object, kept in the profile; the program comes before libraries. NULL if not found,
 * or if the host cannot tell. */
const char *dmd_engine_find_replaced_new(const dmd_engine_host_t *host, dmd_profile_t *profile);

#endif
