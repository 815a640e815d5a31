/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * causal.h: what happened between two profiles, told by place.
 *
 * A place is an allocation stack, cut to the frame limit, without line numbers and offsets: code
 * that was only moved by an edit elsewhere in its file is the same place. Each place whose blocks
 * changed is new, gone, grown, shrunk, or has changed its status: most of its bytes were in one
 * report state before and are in another now. The largest changes come first.
 */
#ifndef DMD_READER_REPORT_CAUSAL_H
#define DMD_READER_REPORT_CAUSAL_H

#include "base/out.h"
#include "text/view.h"

/* Prints one sentence on the whole and then the places. Both profiles have the same mode. */
void dmdv_causal_print(dmd_out_t *out, const dmd_profile_t *old, const dmd_profile_t *new,
                       const dmd_view_t *view);

#endif
