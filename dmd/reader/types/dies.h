/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dies.h: small questions to DIEs, the entries of DWARF.
 *
 * Debug information is a stranger's: what is asked for may be missing, of another form, or lead in
 * circles. Then the answer is that nothing is known.
 */
#ifndef DMD_READER_TYPES_DIES_H
#define DMD_READER_TYPES_DIES_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* How deep entries are followed into one another, and how often one is that stands for another. */
enum { DMDV_DIES_MAX_DEPTH = 64 };

/* A walk through the DIEs of a unit, into children or past them. They stand in the order of the
 * walk; one that stands before another that was visited has been visited, and what leads there may
 * have no end. Then the walk goes on with what its parent is followed by. Begins as {NULL}. */
typedef struct dmdv_walk {
  const void *furthest;
} dmdv_walk_t;

/* The first child, or what follows it: in place of the one before. False: there is none. */
bool dmdv_walk_first(dmdv_walk_t *walk, Dwarf_Die *parent, Dwarf_Die *child);
bool dmdv_walk_next(dmdv_walk_t *walk, Dwarf_Die *child);

/* An attribute that is a whole number; false: there is none. */
bool dmdv_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *number);

/* The DIE that an attribute leads to; integrated: also the attribute of what this DIE is an
 * instance of (DW_AT_abstract_origin, DW_AT_specification). */
bool dmdv_die_follow(Dwarf_Die *die, unsigned attribute, bool integrated, Dwarf_Die *to);

/* A flag, which counts where it is there and not 0. */
bool dmdv_die_flag(Dwarf_Die *die, unsigned attribute);

/* The DIE without typedefs, const and the like; false: void, or unknown. *name becomes the name of
 * the last typedef on the way, NULL if there was none. */
bool dmdv_die_peel(Dwarf_Die *type, Dwarf_Die *peeled, const char **name);

/* The one operation that a location consists of where the program counter is at this address, or
 * everywhere where it does not matter; false: there is none, or it is more complicated. */
bool dmdv_die_location(Dwarf_Die *die, uint64_t addr, Dwarf_Op *op);

/* An attribute that is an address in the code. */
bool dmdv_die_address_of(Dwarf_Die *die, unsigned attribute, uint64_t *addr);

/* The fixed address where a variable is; false: it has none. */
bool dmdv_die_address(Dwarf_Die *die, uint64_t *addr);

/* Where a thread-local variable is in the thread-local storage of its object; false: it is none. */
bool dmdv_die_thread_offset(Dwarf_Die *die, uint64_t *offset);

/* The type parameter of a template by its number, from 0. */
bool dmdv_die_parameter(Dwarf_Die *class, int number, Dwarf_Die *type);

#endif
