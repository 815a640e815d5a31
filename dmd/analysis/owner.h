/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * owner.h: who allocated the blocks of a record whose stack does not show it.
 *
 * A record's stack is cut to the frame limit. Where all frames that are left only allocate for
 * their callers (analysis/allocfns.h), as those of the C++ library and of wrappers of malloc do,
 * the function that allocated is further out, and may be another one for some of the blocks.
 */
#ifndef DMD_ANALYSIS_OWNER_H
#define DMD_ANALYSIS_OWNER_H

#include "analysis/allocfns.h"
#include "analysis/record.h"

typedef struct dmd_owner {
  uint32_t frame;    /* of the one with most bytes, the first of equals */
  uint32_t n_others; /* further frames that allocated some of the record's blocks */
} dmd_owner_t;

/* False where the record's stack shows who allocated, or nothing more is known. Takes time in
 * proportion to the record's groups and their stacks. */
bool dmd_record_owner(const dmd_records_t *records, const dmd_record_t *r, dmd_allocfns_t *fns,
                      dmd_owner_t *owner);

#endif
