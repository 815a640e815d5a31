/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * by.h: the blocks added up by something else than their stacks.
 *
 * A row is a reporter, a tag, a thread, an allocating function or a library, with what its blocks
 * hold in all and in each report state. A block that two reporters took counts for both of them, so
 * that rows by reporter can add up to more than the heap.
 */
#ifndef DMD_READER_REPORT_BY_H
#define DMD_READER_REPORT_BY_H

#include "base/out.h"
#include "text/view.h"

/* Prints the rows of the records that are left in the sections, the largest first. by is not
 * DMD_BY_RECORD. Columns are as wide as they need to be; the name is last. */
void dmdv_by_print(dmd_out_t *out, const dmd_records_t *records, const dmd_view_t *view);

#endif
