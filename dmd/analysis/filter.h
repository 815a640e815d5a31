/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * filter.h: records picked by the text of their allocation stacks.
 */
#ifndef DMD_ANALYSIS_FILTER_H
#define DMD_ANALYSIS_FILTER_H

#include "analysis/record.h"

/* For dmd_records_filter: whether a printed line of the record's allocation stack contains the
 * filter, a string; begins it with '!', whether none does; a leading backslash is dropped. */
bool dmd_filter_passes(void *filter, const dmd_records_t *records, const dmd_record_t *record);

#endif
