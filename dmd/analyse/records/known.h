/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * known.h: recognises blocks that nearly every program has, though the program does not allocate
 * them itself.
 *
 * Currently one: the block that the GNU C++ library allocates when it is loaded, as memory for
 * exceptions when the heap is exhausted ("the emergency pool"; 72,704 bytes in GCC 12).
 */
#ifndef DMD_ANALYSE_RECORDS_KNOWN_H
#define DMD_ANALYSE_RECORDS_KNOWN_H

#include "analyse/records/allocfns.h"
#include "analyse/records/record.h"

/* A description of the record's block; NULL if it is not a known one. */
const char *dmd_known_block(const dmd_records_t *records, const dmd_record_t *r,
                            dmd_allocfns_t *fns);

#endif
