/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * codeunits.h: what the debug information of an object says of a place in its code: the line of the
 * source, and the calls that were inlined there.
 *
 * First the units are known by the addresses of their code. The functions of a unit, and its lines,
 * are read when an address in it is asked for.
 */
#ifndef DMD_READER_NAMES_CODEUNITS_H
#define DMD_READER_NAMES_CODEUNITS_H

#include "base/pool.h"
#include "reader/types/debugfile.h"

/* Calls at one address that are inlined into one another, at most: others are left out. */
enum { DMDV_MAX_INLINED = 64 };

typedef struct dmdv_codeunits {
  dmd_pool_t units;
  dmd_pool_t ranges; /* of units, */
  uint32_t *order;   /* their ids, by address */
} dmdv_codeunits_t;

/* A place in the source. */
typedef struct dmdv_source {
  const char *file; /* without its folder; NULL: not known */
  int line;
} dmdv_source_t;

/* A call that was inlined. */
typedef struct dmdv_inlined {
  const char *name;     /* of the function that was called; NULL: it has none */
  dmdv_source_t caller; /* where it is called */
} dmdv_inlined_t;

/* What there is at an address. */
typedef struct dmdv_codeplace {
  dmdv_source_t source;
  const char *function;                     /* around all; NULL: not known */
  dmdv_inlined_t inlined[DMDV_MAX_INLINED]; /* the outermost first */
  uint32_t n_inlined;
} dmdv_codeplace_t;

/* Strings stay good until the file is closed. */
void dmdv_codeunits_init(dmdv_codeunits_t *units, const dmdv_debugfile_t *file);
void dmdv_codeunits_destroy(dmdv_codeunits_t *units);

/* Fills in what is known of an address; nothing where that is not in any unit. */
void dmdv_codeunits_find(dmdv_codeunits_t *units, uint64_t addr, dmdv_codeplace_t *place);

#endif
