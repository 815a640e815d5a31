/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dwarftypes.h: makes types (model/graph/types.h) from the DIEs of a program's debug information.
 *
 * The caller walks through the units. It says in which scope each DIE is (dmdv_dwarftypes_scope:
 * namespaces and classes are part of a name, and a DIE does not have them) and where types are
 * defined. Types are then made on demand, and members when they are first used. A type that one
 * unit only declares is completed by the definition in another unit, of any object. Memory: about
 * 100 bytes a definition, and 50 a DIE that was looked up.
 */
#ifndef DMD_DEBUGINFO_DWARFTYPES_H
#define DMD_DEBUGINFO_DWARFTYPES_H

#include "base/map.h"
#include "debuginfo/dies.h"
#include "model/graph/types.h"

/* What a function returns memory for. */
typedef struct dmdv_allocated {
  uint32_t type; /* DMD_NONE: it is not made for one type */
  bool is_table; /* a hash table of such values */
} dmdv_allocated_t;

typedef struct dmdv_dwarftypes {
  dmd_types_t *types;
  dmd_map_t known;  /* by the address of a DIE: its type's id + 1 */
  dmd_map_t scopes; /* by the address of a DIE: the prefix of its name, an id of the types' names */
  dmd_map_t allocators;   /* by the address of a function's DIE: an id of allocated */
  dmd_pool_t allocated;   /* dmdv_allocated_die_t */
  dmd_intern_t defined;   /* names in their normal form (dies.h) */
  dmd_pool_t definitions; /* by an id of these: Dwarf_Die */
  dmd_pool_t dies;        /* by type: Dwarf_Die of a struct or union */
} dmdv_dwarftypes_t;

/* Becomes the source of these types, which must be empty. The struct must not move. */
void dmdv_dwarftypes_init(dmdv_dwarftypes_t *d, dmd_types_t *types);
void dmdv_dwarftypes_destroy(dmdv_dwarftypes_t *d);

/* Sets the prefix of a DIE's name: an id of the types' names, as "shop::Jar::". */
void dmdv_dwarftypes_scope(dmdv_dwarftypes_t *d, Dwarf_Die *die, uint32_t scope);

/* Appends the DIE's qualified name; nothing if it has no name. */
void dmdv_dwarftypes_name(const dmdv_dwarftypes_t *d, Dwarf_Die *die, dmd_strbuf_t *to);

/* Registers the definition of a struct, class or union. The first one of a name counts. */
void dmdv_dwarftypes_define(dmdv_dwarftypes_t *d, Dwarf_Die *die);

/* Registers that a function, such as a method of an allocator, returns memory for values of this
 * type, or for a hash table of them. */
void dmdv_dwarftypes_allocator(dmdv_dwarftypes_t *d, Dwarf_Die *function, const Dwarf_Die *type,
                               bool is_table);

/* What a function, or the one that it is an instance of, returns memory for. */
dmdv_allocated_t dmdv_dwarftypes_allocated(dmdv_dwarftypes_t *d, Dwarf_Die *function);

/* The type of this name, in any spelling, if a struct, class or union of that name was defined. */
uint32_t dmdv_dwarftypes_find(dmdv_dwarftypes_t *d, const char *name);

/* The type of this DIE; DMD_NONE: void, or unknown. */
uint32_t dmdv_dwarftypes_type(dmdv_dwarftypes_t *d, Dwarf_Die *die);

/* The type in the DIE's DW_AT_type, or in that of the DIE that it is an instance of. */
uint32_t dmdv_dwarftypes_of(dmdv_dwarftypes_t *d, Dwarf_Die *die);

#endif
