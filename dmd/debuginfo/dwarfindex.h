/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dwarfindex.h: walks through an object's debug information once, and indexes functions by address,
 * definitions of types, names' scopes, and variables.
 *
 * Takes time in proportion to the debug information, and memory in proportion to the number of
 * functions and types in it.
 */
#ifndef DMD_DEBUGINFO_DWARFINDEX_H
#define DMD_DEBUGINFO_DWARFINDEX_H

#include "debuginfo/debugfile.h"
#include "debuginfo/dwarftypes.h"
#include "model/graph/types.h"

/* The code of a function, or a part of it. */
typedef struct dmdv_range {
  uint64_t from, to; /* addresses in the object; to is exclusive */
  Dwarf_Die die;
} dmdv_range_t;

typedef struct dmdv_dwarfindex {
  dmdv_dwarftypes_t *types;
  dmd_variables_t *variables;
  uint32_t object;  /* its id in the heap graph */
  bool is_rust;     /* the current unit's language */
  dmdv_walk_t walk; /* in the current unit */
  dmd_pool_t ranges;
  dmd_pool_t variable_dies;
  uint32_t *order; /* ids of ranges, by address */
} dmdv_dwarfindex_t;

/* Walks through the debug information. All objects share the types and variables. tick is called
 * for each unit, with the number of bytes before it. */
void dmdv_dwarfindex_init(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file, uint32_t object,
                          dmdv_dwarftypes_t *types, dmd_variables_t *variables,
                          void (*tick)(void *ctx, uint64_t at), void *ctx);
void dmdv_dwarfindex_destroy(dmdv_dwarfindex_t *index);

/* Adds the variables; call it when all objects' definitions of types are known. */
void dmdv_dwarfindex_add_variables(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file);

/* Appends the name of a variable, qualified by its namespace or class. */
void dmdv_dwarfindex_variable_name(const dmdv_dwarfindex_t *index, Dwarf_Die *die,
                                   dmd_strbuf_t *name);

/* The function with code at this address; false if it is unknown. */
bool dmdv_dwarfindex_function(const dmdv_dwarfindex_t *index, uint64_t addr, Dwarf_Die *die);

/* The range of that function's code, or of the part of it with this address. */
bool dmdv_dwarfindex_range(const dmdv_dwarfindex_t *index, uint64_t addr, uint64_t *from,
                           uint64_t *to);

#endif
