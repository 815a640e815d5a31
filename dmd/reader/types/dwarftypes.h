/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dwarftypes.h: types (graph/types.h) out of the DIEs of a program's debug information.
 *
 * Whoever walks through the units says which DIE is named how (dmdv_dwarftypes_name: names have
 * their namespaces and classes in front, which a DIE does not tell by itself) and where a type is
 * defined. Then types are made when they are asked for, and members when somebody looks at them. A
 * type that one unit only declares is completed by another's definition, of whichever object.
 *
 * Memory: about 100 bytes a definition, and 50 a DIE that was asked for.
 */
#ifndef DMD_READER_TYPES_DWARFTYPES_H
#define DMD_READER_TYPES_DWARFTYPES_H

#include "base/map.h"
#include "graph/types.h"
#include "reader/types/dies.h"

typedef struct dmdv_dwarftypes {
  dmd_types_t *types;
  dmd_map_t known;        /* by the address of a DIE: what it is, an id of types + 1 */
  dmd_map_t scopes;       /* by the address of a DIE: what stands in front of its name, an id of
                             the types' names */
  dmd_map_t allocators;   /* by the address of a function's DIE: an id of allocated */
  dmd_pool_t allocated;   /* Dwarf_Die of types */
  dmd_intern_t defined;   /* names in their normal spelling (classname.h) */
  dmd_pool_t definitions; /* by an id of these: Dwarf_Die */
  dmd_pool_t dies;        /* by type: Dwarf_Die of a struct or union */
} dmdv_dwarftypes_t;

/* Becomes the source of these types, which must be empty. Must stay where it is. */
void dmdv_dwarftypes_init(dmdv_dwarftypes_t *d, dmd_types_t *types);
void dmdv_dwarftypes_destroy(dmdv_dwarftypes_t *d);

/* Says what stands in front of a DIE's name: an id of the types' names, as "shop::Jar::". */
void dmdv_dwarftypes_scope(dmdv_dwarftypes_t *d, Dwarf_Die *die, uint32_t scope);

/* Appends the DIE's name with its scope; nothing if it has none. */
void dmdv_dwarftypes_name(const dmdv_dwarftypes_t *d, Dwarf_Die *die, dmd_strbuf_t *to);

/* Says that this is the definition of a struct, class or union. The first of a name counts. */
void dmdv_dwarftypes_define(dmdv_dwarftypes_t *d, Dwarf_Die *die);

/* Says that a function, a method of an allocator, gives memory for values of this type. */
void dmdv_dwarftypes_allocator(dmdv_dwarftypes_t *d, Dwarf_Die *function, const Dwarf_Die *type);

/* The type that a function, or the one that it is an instance of, gives memory for; DMD_NONE: not
 * known to be made for one. */
uint32_t dmdv_dwarftypes_allocated(dmdv_dwarftypes_t *d, Dwarf_Die *function);

/* The type of this name, however spelled, if it is a struct, class or union that was defined. */
uint32_t dmdv_dwarftypes_find(dmdv_dwarftypes_t *d, const char *name);

/* The type that this DIE is; DMD_NONE: void, or unknown. */
uint32_t dmdv_dwarftypes_type(dmdv_dwarftypes_t *d, Dwarf_Die *die);

/* The type that this DIE has: DW_AT_type, also of what it is an instance of. */
uint32_t dmdv_dwarftypes_of(dmdv_dwarftypes_t *d, Dwarf_Die *die);

#endif
