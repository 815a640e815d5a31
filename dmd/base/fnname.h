/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fnname.h: the part of a function's printed name that people know it by.
 *
 * A symbol contains more than the name in the source: the parameters of a C++ function
 * ("Jar::measure(int) const"), the return type of a template function ("void fill<int>(int*)"),
 * template arguments, and a suffix for copies that the compiler made ("find.part.0", "jar_find(int)
 * [clone .isra.0]").
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

/* The name without any of these except template arguments: "fill<int>". Empty only if the name
 * is. */
dmd_fnname_t dmd_fnname_plain(const char *name, size_t n);

/* Appends the plain name without template arguments: "std::vector::push_back" for "std::vector<int,
 * std::allocator<int> >::push_back(int const&)". */
void dmd_fnname_bare(dmd_strbuf_t *to, const char *name, size_t n);

/* Longer names are shortened. */
enum { DMD_FNNAME_LONG = 80 };

/* Appends the name as it is shown: without a return type. If it is longer than DMD_FNNAME_LONG
 * bytes, "<...>" replaces all template arguments. */
void dmd_fnname_short(dmd_strbuf_t *to, const char *name, size_t n);

/* If the function is a part of a C++ coroutine, returns the length of the coroutine's name, with
 * which the names of all its parts begin; else 0. GCC and Clang name the functions that resume and
 * destroy a coroutine "walk(...) [clone .actor]", "walk(int) [clone .resume]" and the like. */
size_t dmd_fnname_coroutine(const char *name);

/* Whether the pattern (base/str.h) matches the name as printed, or its plain name. */
bool dmd_fnname_matches(const char *glob, const char *name);

/* Whether the name contains "size", as names of functions that return a block's size do:
 * "jar_size_of", "Jar::SizeOfExcludingThis() const". */
bool dmd_fnname_says_size(const char *name);

/* Whether it names a C++ constructor, such as "dmd::TagScope::TagScope(char const*)". */
bool dmd_fnname_is_constructor(const char *name, size_t n);

/* ---- Names of types. ----
 *
 * Shortens the names of C++ types.
 *
 * Compilers spell out what nobody writes: the allocator of each container, and std::string as
 * std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >. */

/* Appends a text that may contain names of types, such as "std::_List_node<Jar>[] from fill", with
 * shorter names: without allocators and the like after a template's first argument, without the
 * library's inner namespaces, with std::string for its long form. Arguments of names that are still
 * longer than DMD_FNNAME_LONG bytes become "<...>". Unknown syntax stays as it is. */
void dmd_typename_short(dmd_strbuf_t *to, const char *text);

#endif
