/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * known.h: blocks that nearly every program has, and that are not the program's.
 *
 * At present one: what the GNU C++ library allocates when it is loaded, to have memory for
 * exceptions when the heap is exhausted ("the emergency pool"; 72,704 bytes in GCC 12).
 */
#ifndef DMD_ANALYSIS_KNOWN_H
#define DMD_ANALYSIS_KNOWN_H

#include "analysis/allocfns.h"
#include "analysis/record.h"

/* What the record's block is, in words; NULL: nothing that is known. */
const char *dmd_known_block(const dmd_records_t *records, const dmd_record_t *r,
                            dmd_allocfns_t *fns);

#endif
