/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dwarfindex.h: one walk through an object's debug information, which finds what is asked for
 * later: functions by address, definitions of types, names' scopes, and variables.
 *
 * Takes time in proportion to the debug information, and memory in proportion to the functions and
 * types in it.
 */
#ifndef DMD_READER_TYPES_DWARFINDEX_H
#define DMD_READER_TYPES_DWARFINDEX_H

#include "graph/variables.h"
#include "reader/types/debugfile.h"
#include "reader/types/dwarftypes.h"

/* A function's code, or a part of it. */
typedef struct dmdv_range {
  uint64_t from, to; /* of addresses in the object; to is behind it */
  Dwarf_Die die;
} dmdv_range_t;

typedef struct dmdv_dwarfindex {
  dmdv_dwarftypes_t *types;
  dmd_variables_t *variables;
  uint32_t object;  /* of the heap graph */
  dmdv_walk_t walk; /* through the current unit */
  dmd_pool_t ranges;
  dmd_pool_t variable_dies;
  uint32_t *order; /* ids of ranges, by address */
} dmdv_dwarfindex_t;

/* Walks through the debug information. Types and variables are shared by all objects; tick is
 * called for each unit, with how many bytes were before it. */
void dmdv_dwarfindex_init(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file, uint32_t object,
                          dmdv_dwarftypes_t *types, dmd_variables_t *variables,
                          void (*tick)(void *ctx, uint64_t at), void *ctx);
void dmdv_dwarfindex_destroy(dmdv_dwarfindex_t *index);

/* Adds the variables, once all objects' definitions of types are known. */
void dmdv_dwarfindex_add_variables(dmdv_dwarfindex_t *index, const dmdv_debugfile_t *file);

/* Appends the name of a variable, with its namespace or class in front. */
void dmdv_dwarfindex_variable_name(const dmdv_dwarfindex_t *index, Dwarf_Die *die,
                                   dmd_strbuf_t *name);

/* The function that has code at this address; false: none is known. */
bool dmdv_dwarfindex_function(const dmdv_dwarfindex_t *index, uint64_t addr, Dwarf_Die *die);

/* Where that function's code, or the part of it with this address, begins and ends. */
bool dmdv_dwarfindex_range(const dmdv_dwarfindex_t *index, uint64_t addr, uint64_t *from,
                           uint64_t *to);

#endif
