/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symboltable.h: finds the functions of an object by its symbols.
 *
 * Several symbols may cover one address. As in Valgrind, the one with the shortest range wins, then
 * the one with the shortest name; a version, "@..." at its end, is not counted, but a name with one
 * is preferred; then the first in alphabetical order.
 *
 * If no function of known size covers the address, the table asks libdw, which knows the labels of
 * hand-written code. It searches all symbols for that, so the table first checks whether it can
 * find one.
 */
#ifndef DMD_DEBUGINFO_SYMBOLTABLE_H
#define DMD_DEBUGINFO_SYMBOLTABLE_H

#include "base/pool.h"
#include "debuginfo/debugfile.h"

typedef struct dmdv_symboltable {
  const dmdv_debugfile_t *file;
  dmd_pool_t symbols; /* of functions */
  uint32_t *order; /* their ids, by address; of those with the same address the worst comes first */
  uint64_t longest; /* the longest range of a symbol */
  dmd_pool_t marks; /* starts of symbols of all kinds */
  uint32_t *marks_order;
} dmdv_symboltable_t;

/* The file must outlive the table. */
void dmdv_symboltable_init(dmdv_symboltable_t *table, const dmdv_debugfile_t *file);
void dmdv_symboltable_destroy(dmdv_symboltable_t *table);

/* The name of the function at an address, as in the file; NULL if there is no function. */
const char *dmdv_symboltable_at(const dmdv_symboltable_t *table, uint64_t addr);

#endif
