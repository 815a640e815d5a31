/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mangled.h: reads the plain name out of a mangled C++ symbol, for callers without a demangler.
 *
 * "_ZNK3jar3Jar7measureEi" becomes jar::Jar::measure(i): namespaces, classes and the function,
 * without template arguments. The parentheses contain the symbol's encoding of the parameters as it
 * is, so that overloads stay distinct. Constructors and destructors are named like their class.
 * A copy that a compiler made ends in a note, "walk(i) [clone .part.0]", and so do the parts of a
 * coroutine, "walk(i) [clone .actor]". A symbol that is not a C++ symbol, or has an unknown form,
 * stays as it is.
 *
 * Rules: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling.
 */
#ifndef DMD_BASE_MANGLED_H
#define DMD_BASE_MANGLED_H

#include "base/strbuf.h"

/* Appends the name. */
void dmd_mangled_name(dmd_strbuf_t *to, const char *symbol);

/* Compares two names of one function: negative if a is preferable. As in Valgrind, the shorter name
 * is; a version after an @ does not count. */
int dmd_symbol_compare(const char *a, const char *b);

#endif
