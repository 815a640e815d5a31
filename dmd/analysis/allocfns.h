/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocfns.h: which functions only allocate for their callers.
 */
#ifndef DMD_ANALYSIS_ALLOCFNS_H
#define DMD_ANALYSIS_ALLOCFNS_H

#include <stdbool.h>

/* Whether a frame's function is an allocator's, a wrapper's around one, or unknown ("???"). Only
 * the function's name counts, not the file's. The list is that of Mozilla's script. */
bool dmd_is_alloc_fn(const char *frame);

#endif
