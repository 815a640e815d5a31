/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphbeside.h: the heap graph that was written with a profile.
 *
 * dmd calls the two by one name: `dmd.out.1234.json.gz` and `dmd.out.1234.graph.gz`.
 */
#ifndef DMD_READER_COMMAND_GRAPHBESIDE_H
#define DMD_READER_COMMAND_GRAPHBESIDE_H

#include "base/strbuf.h"
#include "profile/profile.h"

/* Appends the name of the graph that belongs to a profile. False where the profile has no name of
 * that form, or there is no such file. */
bool dmdv_graph_beside(dmd_strbuf_t *to, const char *profile);

/* Whether a profile and a graph were written together: a file of this name may be left from an
 * earlier run. */
bool dmdv_is_of_same_moment(const dmd_run_t *a, dmd_mode_t a_mode, const dmd_run_t *b,
                            dmd_mode_t b_mode);

#endif
