/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typename.h: shortens the names of C++ types.
 *
 * Compilers spell out what nobody writes: the allocator of each container, and std::string as
 * std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >.
 */
#ifndef DMD_BASE_TYPENAME_H
#define DMD_BASE_TYPENAME_H

#include "base/strbuf.h"

/* Appends a text that may contain names of types, such as "std::_List_node<Jar>[] from fill", with
 * shorter names: without allocators and the like after a template's first argument, without the
 * library's inner namespaces, with std::string for its long form. Arguments of names that are still
 * longer than DMD_FNNAME_LONG bytes become "<...>". Unknown syntax stays as it is. */
void dmd_typename_short(dmd_strbuf_t *to, const char *text);

#endif
