/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fnname.h: the part of a function's printed name that people know it by.
 *
 * Symbols have more to them than the name in the source: a C++ function's parameters
 * ("Jar::measure(int) const"), and what a compiler adds to a copy that it made ("find.part.0",
 * "jar_find(int) [clone .isra.0]"). The name that is left is always the beginning of the whole.
 */
#ifndef DMD_BASE_FNNAME_H
#define DMD_BASE_FNNAME_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes of the name are left without all that; never 0 of a name that is not empty. */
size_t dmd_fnname_plain(const char *name, size_t n);

/* Whether it is a C++ constructor's, such as "dmd::TagScope::TagScope(char const*)". */
bool dmd_fnname_is_constructor(const char *name, size_t n);

#endif
