/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * classname.h: compares the names of C++ types as several compilers and demanglers spell them.
 *
 * "pair<int const, std::array<char, 4ul> >" and "pair<const int, std::array<char, 4>>" are the same
 * type. The normal form drops blanks that do not separate two words, suffixes of numbers, and
 * const.
 */
#ifndef DMD_DEBUGINFO_CLASSNAME_H
#define DMD_DEBUGINFO_CLASSNAME_H

#include "base/strbuf.h"

/* Appends the name's normal form, for comparison. */
void dmdv_classname_normal(dmd_strbuf_t *to, const char *name);

/* Appends the class whose virtual table this symbol is, as "_ZTVN4shop3JarE". False, with nothing
 * appended, if the symbol is not a virtual table. */
bool dmdv_classname_of_vtable(dmd_strbuf_t *to, const char *symbol);

/* The demangled name of a C++ symbol; the same string if the symbol is not mangled. The caller
 * frees *freed, which may be NULL, with free. */
const char *dmdv_demangle(const char *symbol, char **freed);

#endif
