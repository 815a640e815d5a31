/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symboltable.h: the functions of an object by its symbols.
 *
 * Many symbols may stand for one place. As Valgrind has it, that of the shortest range counts, then
 * the shortest name; a version, "@..." at its end, does not count but is better than none; then the
 * first in alphabetical order.
 *
 * Where no function of a known size is, libdw is asked, which knows labels of hand-written code. It
 * looks at all symbols for that; so the table knows where it would find none.
 */
#ifndef DMD_READER_NAMES_SYMBOLTABLE_H
#define DMD_READER_NAMES_SYMBOLTABLE_H

#include "base/pool.h"
#include "reader/types/debugfile.h"

typedef struct dmdv_symboltable {
  const dmdv_debugfile_t *file;
  dmd_pool_t symbols; /* of functions */
  uint32_t *order;    /* their ids, by address, the worst of those with the same one first */
  uint64_t longest;   /* range of a symbol */
  dmd_pool_t marks;   /* where symbols of all kinds begin */
  uint32_t *marks_order;
} dmdv_symboltable_t;

/* The file must outlive the table. */
void dmdv_symboltable_init(dmdv_symboltable_t *table, const dmdv_debugfile_t *file);
void dmdv_symboltable_destroy(dmdv_symboltable_t *table);

/* The name of the function at an address, as the file has it; NULL: there is none. */
const char *dmdv_symboltable_at(const dmdv_symboltable_t *table, uint64_t addr);

#endif
