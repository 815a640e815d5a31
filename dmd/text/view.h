/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view.h: what of a profile's records people want to see, and in which order.
 */
#ifndef DMD_TEXT_VIEW_H
#define DMD_TEXT_VIEW_H

#include "analysis/record.h"

/* What the blocks are added up by. */
typedef enum dmd_by {
  DMD_BY_RECORD,
  DMD_BY_REPORTER,
  DMD_BY_TAG,
  DMD_BY_THREAD,
  DMD_BY_FUNCTION,
  DMD_BY_LIBRARY
} dmd_by_t;

typedef struct dmd_view {
  uint32_t max_frames;
  uint32_t max_records; /* 0: all */
  dmd_sort_by_t sort_by;
  unsigned sections; /* see dmd_text_options_t.only */
  dmd_by_t by;
} dmd_view_t;

#endif
