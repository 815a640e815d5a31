/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dies.h: helpers to read DIEs, the entries of DWARF.
 *
 * Debug information is not trusted: attributes may be missing, have another form, or refer to one
 * another in circles. All functions then return that nothing is known.
 */
#ifndef DMD_DEBUGINFO_DIES_H
#define DMD_DEBUGINFO_DIES_H

#include "base/strbuf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- Names of classes. ----
 *
 * Compares the names of C++ types as several compilers and demanglers spell them.
 *
 * "pair<int const, std::array<char, 4ul> >" and "pair<const int, std::array<char, 4>>" are the same
 * type. The normal form drops blanks that do not separate two words, suffixes of numbers, and
 * const. */

/* Appends the name's normal form, for comparison. */
void dmdv_classname_normal(dmd_strbuf_t *to, const char *name);

/* Appends the class whose virtual table this symbol is, as "_ZTVN4shop3JarE". False, with nothing
 * appended, if the symbol is not a virtual table. */
bool dmdv_classname_of_vtable(dmd_strbuf_t *to, const char *symbol);

/* The demangled name of a C++ or Rust symbol; the same string if the symbol is not mangled. The
 * caller frees *freed, which may be NULL, with free. */
const char *dmdv_demangle(const char *symbol, char **freed);

/* ---- Debug information entries. ---- */

/* Limits on the nesting of entries, and on chains of references between them. */
enum { DMDV_DIES_MAX_DEPTH = 64 };

/* A walk through the DIEs of a unit, which descends into children or skips them. DIEs are stored in
 * the order of the walk, so a reference back to an earlier DIE is a loop in a damaged file; the
 * walk then goes on after the parent. Initialise with {NULL}. */
typedef struct dmdv_walk {
  const void *furthest;
} dmdv_walk_t;

/* Replace *child by the parent's first child, or by its next sibling. They return false when there
 * is no further DIE. */
bool dmdv_walk_first(dmdv_walk_t *walk, Dwarf_Die *parent, Dwarf_Die *child);
bool dmdv_walk_next(dmdv_walk_t *walk, Dwarf_Die *child);

/* An attribute that is an integer; false if it is missing. */
bool dmdv_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *number);

/* The DIE that an attribute refers to. integrated: also looks for the attribute in the DIE that
 * this one is an instance of (DW_AT_abstract_origin, DW_AT_specification). */
bool dmdv_die_follow(Dwarf_Die *die, unsigned attribute, bool integrated, Dwarf_Die *to);

/* A flag: true if it is present and not 0. */
bool dmdv_die_flag(Dwarf_Die *die, unsigned attribute);

/* Strips typedefs, const and the like from a type. False: void, or unknown. *name is the name of
 * the last typedef that was stripped, NULL if there was no typedef. */
bool dmdv_die_peel(Dwarf_Die *type, Dwarf_Die *peeled, const char **name);

/* The single operation of a location, for code at this address if the location depends on it.
 * False: no location, or a more complicated one. */
bool dmdv_die_location(Dwarf_Die *die, uint64_t addr, Dwarf_Op *op);

/* An attribute that is a code address. */
bool dmdv_die_address_of(Dwarf_Die *die, unsigned attribute, uint64_t *addr);

/* The fixed address of a variable; false if it has no fixed address. */
bool dmdv_die_address(Dwarf_Die *die, uint64_t *addr);

/* The offset of a thread-local variable in its object's thread-local storage; false if the variable
 * is not thread-local. */
bool dmdv_die_thread_offset(Dwarf_Die *die, uint64_t *offset);

/* A type parameter of a template or of a generic function: the one of this name, or the first if
 * name is NULL. */
bool dmdv_die_parameter(Dwarf_Die *die, const char *name, Dwarf_Die *type);

#endif
