/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * typename.h: the name of a C++ type as people know it.
 *
 * A compiler spells out what nobody writes: the allocator of each container, and std::string as
 * std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >.
 */
#ifndef DMD_BASE_TYPENAME_H
#define DMD_BASE_TYPENAME_H

#include "base/strbuf.h"

/* Appends a text in which names of types may be, such as "std::_List_node<Jar>[] from fill", with
 * the names short: without allocators and the like behind the first argument of a template, without
 * the library's inner namespaces, with std::string for its long form, and "<...>" for the arguments
 * of one that is longer than DMD_FNNAME_LONG bytes even so. What is not understood stays as it is.
 */
void dmd_typename_short(dmd_strbuf_t *to, const char *text);

#endif
