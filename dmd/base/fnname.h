/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fnname.h: the part of a function's printed name that people know it by.
 *
 * A symbol has more to it than the name in the source: the parameters of a C++ function
 * ("Jar::measure(int) const"), the return type of one that is made from a template ("void
 * fill<int>(int*)"), the template's arguments, and what a compiler adds to a copy that it made
 * ("find.part.0", "jar_find(int) [clone .isra.0]").
 */
#ifndef DMD_BASE_FNNAME_H
#define DMD_BASE_FNNAME_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a name. */
typedef struct dmd_fnname {
  const char *at;
  size_t n;
} dmd_fnname_t;

/* The n bytes at name without all that but the template's arguments: "fill<int>". Never empty if
 * the name is not. */
dmd_fnname_t dmd_fnname_plain(const char *name, size_t n);

/* Appends the plain name without template arguments: "std::vector::push_back" of
 * "std::vector<int, std::allocator<int> >::push_back(int const&)". */
void dmd_fnname_bare(dmd_strbuf_t *to, const char *name, size_t n);

/* Longer names are shortened. */
enum { DMD_FNNAME_LONG = 80 };

/* Appends the name as it is shown: without a return type; "<...>" stands for all template arguments
 * of one that is longer than DMD_FNNAME_LONG bytes. */
void dmd_fnname_short(dmd_strbuf_t *to, const char *name, size_t n);

/* Whether it is a part of a C++ coroutine, as GCC and Clang name what resumes and destroys one:
 * "walk(...) [clone .actor]", "walk(int) [clone .resume]". Then the length of the coroutine's own
 * name, which all of its parts begin with; else 0. */
size_t dmd_fnname_coroutine(const char *name);

/* Whether it has "size" in it, as those have that say how large a block is: "jar_size_of",
 * "Jar::SizeOfExcludingThis() const". */
bool dmd_fnname_says_size(const char *name);

/* Whether it is a C++ constructor's, such as "dmd::TagScope::TagScope(char const*)". */
bool dmd_fnname_is_constructor(const char *name, size_t n);

#endif
