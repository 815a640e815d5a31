/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphbeside.h: finds the heap graph that was written together with a profile.
 *
 * Both have the same stem: `dmd.out.1234.json.gz` and `dmd.out.1234.graph.gz`.
 */
#ifndef DMD_DMDV_GRAPH_GRAPHBESIDE_H
#define DMD_DMDV_GRAPH_GRAPHBESIDE_H

#include "base/strbuf.h"
#include "model/profile/profile.h"

/* Appends the name of the graph that belongs to a profile. False if the profile's name has another
 * form, if the file does not exist, or if it belongs to somebody other than the profile's owner,
 * root or dmdv's user. */
bool dmdv_graph_beside(dmd_strbuf_t *to, const char *profile);

/* Whether a profile and a graph were written together: a file of this name may be from an earlier
 * run. */
bool dmdv_is_of_same_moment(const dmd_run_t *a, dmd_mode_t a_mode, const dmd_run_t *b,
                            dmd_mode_t b_mode);

#endif
