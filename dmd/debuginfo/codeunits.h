/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * codeunits.h: what an object's debug information has about a place in its code: the line of the
 * source, and the calls that were inlined there.
 *
 * At first only the address ranges of the units are read. A unit's functions and lines are read
 * when an address in it is first looked up.
 */
#ifndef DMD_DEBUGINFO_CODEUNITS_H
#define DMD_DEBUGINFO_CODEUNITS_H

#include "base/pool.h"
#include "debuginfo/debugfile.h"

/* Limit on nested inlined calls at one address; deeper ones are left out. */
enum { DMDV_MAX_INLINED = 64 };

typedef struct dmdv_codeunits {
  dmd_pool_t units;
  dmd_pool_t ranges; /* of units */
  uint32_t *order;   /* their ids, by address */
} dmdv_codeunits_t;

/* A place in the source. */
typedef struct dmdv_source {
  const char *file; /* without its folder; NULL: unknown */
  int line;
} dmdv_source_t;

/* A call that was inlined. */
typedef struct dmdv_inlined {
  const char *name;     /* the called function, of Rust its symbol; NULL: it has no name */
  dmdv_source_t caller; /* where it was called */
} dmdv_inlined_t;

/* The source of an address, as debug information has it. */
typedef struct dmdv_codeplace {
  dmdv_source_t source;
  const char *function;                     /* the function that was not inlined; NULL: unknown */
  dmdv_inlined_t inlined[DMDV_MAX_INLINED]; /* the outermost first */
  uint32_t n_inlined;
} dmdv_codeplace_t;

/* Returned strings are valid until the file is closed. */
void dmdv_codeunits_init(dmdv_codeunits_t *units, const dmdv_debugfile_t *file);
void dmdv_codeunits_destroy(dmdv_codeunits_t *units);

/* Fills in the source of an address; nothing is filled in if no unit contains the address. */
void dmdv_codeunits_find(dmdv_codeunits_t *units, uint64_t addr, dmdv_codeplace_t *place);

#endif
