/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mangled.h: the plain name in a C++ symbol, for who has no demangler at hand.
 *
 * "_ZNK3jar3Jar7measureEi" is jar::Jar::measure(i): namespaces, classes and the function, without
 * template arguments; in the parentheses is what the symbol says of the parameters, as it stands
 * there, so that functions of one name can be told apart. Constructors and destructors are named
 * like their class, and a copy that a compiler made has a note at its end: "walk(i) [clone
 * .part.0]"; so have the parts of a coroutine, "walk(i) [clone .actor]". A symbol that is none of
 * C++, or of a form that is not known here, is its own name.
 *
 * Rules: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling.
 */
#ifndef DMD_BASE_MANGLED_H
#define DMD_BASE_MANGLED_H

#include "base/strbuf.h"

/* Appends the name. */
void dmd_mangled_name(dmd_strbuf_t *to, const char *symbol);

/* Negative where a is rather the name of a function than b, which is another one of it: the shorter
 * one is, as Valgrind has it. A version behind an @ does not count. */
int dmd_symbol_compare(const char *a, const char *b);

#endif
