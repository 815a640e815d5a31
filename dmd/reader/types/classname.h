/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * classname.h: compares the names of C++ types as several compilers and demanglers spell them.
 *
 * "pair<int const, std::array<char, 4ul> >" and "pair<const int, std::array<char, 4>>" are one
 * type: blanks that stand between no two words, the suffix of a number and where const stands say
 * nothing. const is left out.
 */
#ifndef DMD_READER_TYPES_CLASSNAME_H
#define DMD_READER_TYPES_CLASSNAME_H

#include "base/strbuf.h"

/* Appends the name in the one spelling that is compared. */
void dmdv_classname_normal(dmd_strbuf_t *to, const char *name);

/* Appends the class of which this symbol, as "_ZTVN4shop3JarE", is the virtual table. False if it
 * is none: then nothing is appended. */
bool dmdv_classname_of_vtable(dmd_strbuf_t *to, const char *symbol);

/* The name of a C++ symbol in the source; the same string where it has no other. The caller frees
 * *freed, which may be NULL, with free. */
const char *dmdv_demangle(const char *symbol, char **freed);

#endif
