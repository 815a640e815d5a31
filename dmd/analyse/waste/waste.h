/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * waste.h: what the blocks of a heap graph waste: findings, each with the bytes that would be
 * saved.
 *
 *   lost        no root leads to the block (analyse/graph/leaks.h): its usable bytes, and those of
 *               the blocks that only it leads to
 *   constant    all requested bytes, at least 64, are equal: the usable bytes
 *   duplicate   an earlier block of the same name has equal contents: the usable bytes
 *   container   capacity of a container that is not in use (containers.h)
 *   untouched   at least half of the block, and 64 bytes, at its end are zero: as many. If new
 *               blocks were filled (--fill=yes): are as they were when it was allocated
 *   padding     bytes that a better order of a struct's members would save, for each value in the
 *               block (padding.h)
 *   small       for blocks of at most DMD_WASTE_SMALL requested bytes: what the allocator adds to
 *               these, in front of the block and by rounding, if that is at least a third of them
 *   slop        usable minus requested bytes
 *   pinned      the block lies on pages at least half of which is free (pinned.h): its part of that
 *
 * A finding has the blocks of one kind of waste, one name (analyse/graph/kinds.h) and one cut
 * allocation stack. A saving is what the allocator would really give back: if its model is known,
 * sizes before and after are rounded as it rounds them, and a change that saves nothing is no
 * finding. A block may be in several findings; `counted` counts each block's bytes once, in the
 * finding that saves most of them, and only these are added up. Free bytes of pinned pages are no
 * block's, and are added to them.
 *
 * Only blocks of the allocator can be slop or small, not announced ones. Each byte of
 * nested blocks belongs to the innermost (model/graph/nesting.h).
 *
 * Time: proportional to nodes and edges. Memory: 12 bytes a block, 9 more for lost ones, and the
 * findings. No recursion.
 */
#ifndef DMD_ANALYSE_WASTE_WASTE_H
#define DMD_ANALYSE_WASTE_WASTE_H

#include "analyse/waste/findings.h"

/* records: those of the graph's profile, for the cut of its stacks. Everything must outlive the
 * result, which must not move. */
void dmd_waste_init(dmd_waste_t *waste, dmd_nodekeys_t *keys, const dmd_records_t *records,
                    const dmd_waste_options_t *options);
void dmd_waste_destroy(dmd_waste_t *waste);

/* The i-th finding, from 0. */
static inline const dmd_waste_finding_t *dmd_waste_at(const dmd_waste_t *waste, uint32_t i) {
  return DMD_POOL_AT(&waste->findings, const dmd_waste_finding_t, waste->order[i]);
}

/* ---- Sums. ---- */

typedef enum {
  DMD_WASTE_BY_FINDING, /* not added up */
  DMD_WASTE_BY_KIND,
  DMD_WASTE_BY_TYPE,
  DMD_WASTE_BY_FUNCTION,
  DMD_WASTE_BY_FILE,
  DMD_WASTE_BY_LIBRARY
} dmd_waste_by_t;

#define DMD_WASTE_BY_WORDS "finding|kind|type|function|file|library"

typedef struct dmd_waste_row {
  uint32_t name; /* in names */
  uint32_t findings;
  uint64_t counted;
} dmd_waste_row_t;

typedef struct dmd_waste_rows {
  dmd_intern_t names;
  dmd_pool_t rows; /* dmd_waste_row_t, by name */
  uint32_t *order; /* largest first */
} dmd_waste_rows_t;

/* Adds up what the findings count; the rows add up to the total. by: not DMD_WASTE_BY_FINDING. */
void dmd_waste_rows_init(dmd_waste_rows_t *rows, const dmd_waste_t *waste, dmd_waste_by_t by);
void dmd_waste_rows_destroy(dmd_waste_rows_t *rows);

#endif
