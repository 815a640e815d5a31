/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocsite.h: finds who allocated the blocks of a record whose stack does not show it.
 *
 * A record's stack is cut to the frame limit. If all remaining frames only allocate for their
 * callers (analyse/records/allocfns.h), like those of the C++ library or of malloc wrappers, the
 * allocating function is further out, and may differ between blocks.
 */
#ifndef DMD_ANALYSE_RECORDS_ALLOCSITE_H
#define DMD_ANALYSE_RECORDS_ALLOCSITE_H

#include "analyse/records/allocfns.h"
#include "analyse/records/record.h"

typedef struct dmd_owner {
  uint32_t frame;    /* the frame with the most bytes, the first of equal ones */
  uint32_t n_others; /* other frames that allocated some of the record's blocks */
} dmd_owner_t;

/* Returns false if the record's stack shows who allocated, or if it is unknown. Time: proportional
 * to the record's groups and their stacks. */
bool dmd_record_owner(const dmd_records_t *records, const dmd_record_t *r, dmd_allocfns_t *fns,
                      dmd_owner_t *owner);

/* ---- Known blocks. ----
 *
 * Recognises blocks that nearly every program has, though the program does not allocate
 * them itself.
 *
 * Currently one: the block that the GNU C++ library allocates when it is loaded, as memory for
 * exceptions when the heap is exhausted ("the emergency pool"; 72,704 bytes in GCC 12). */

/* A description of the record's block; NULL if it is not a known one. */
const char *dmd_known_block(const dmd_records_t *records, const dmd_record_t *r,
                            dmd_allocfns_t *fns);

#endif
