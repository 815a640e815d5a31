/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphbeside.h: finds the heap graph that was written together with a profile.
 *
 * Both have the same stem: `dmd.out.1234.json.gz` and `dmd.out.1234.graph.gz`.
 */
#ifndef DMD_DMDV_GRAPH_GRAPHBESIDE_H
#define DMD_DMDV_GRAPH_GRAPHBESIDE_H

#include "analyse/limits/gate.h"
#include "analyse/limits/ignore.h"
#include "analyse/limits/wasted.h"
#include "base/strbuf.h"
#include "dmdv/commandline/commandline.h"
#include "dmdv/graph/typedgraph.h"
#include "model/profile/profile.h"
#include "show/text/text_graph.h"

/* Appends the name of the graph that belongs to a profile. False if the profile's name has another
 * form, if the file does not exist, or if it belongs to somebody other than the profile's owner,
 * root or dmdv's user. */
bool dmdv_graph_beside(dmd_strbuf_t *to, const char *profile);

/* Whether a profile and a graph were written together: a file of this name may be from an earlier
 * run. */
bool dmdv_is_of_same_moment(const dmd_run_t *a, dmd_mode_t a_mode, const dmd_run_t *b,
                            dmd_mode_t b_mode);

/* ---- Lost blocks. ----
 *
 * Adds up the lost blocks in the heap graphs beside some profiles, for dmdv check. */

typedef struct dmdv_lost {
  dmd_profile_t profile;
  dmd_subject_t subject;
} dmdv_lost_t;

/* Makes it empty. The struct must not move. */
void dmdv_lost_init(dmdv_lost_t *lost);
void dmdv_lost_destroy(dmdv_lost_t *lost);

/* Adds the lost blocks of the graphs beside these profiles. False, with the reason on stderr, if a
 * graph is missing or cannot be read. */
bool dmdv_lost_find(dmdv_lost_t *lost, const dmdv_files_t *profiles, const dmd_frame_view_t *view,
                    dmd_ignore_t *ignore);

/* ---- Waste. ----
 *
 * Adds up what the blocks in the heap graphs beside some profiles waste, as dmdv waste does. */

/* False, with the reason on stderr, if a graph is missing or cannot be read. */
bool dmdv_waste_find(dmd_wasted_t *wasted, const dmdv_files_t *profiles,
                     const dmd_frame_view_t *view, dmd_ignore_t *ignore, uint32_t max_frames);

/* Of the graph of the same moment beside a profile. False if there is none. */
bool dmdv_waste_beside(dmd_wasted_t *wasted, const dmd_profile_t *profile, const char *name);

/* ---- Owners. ----
 *
 * Finds the owners of a profile's unreported blocks in the heap graph beside it. */

/* Names variables from the debug information of a graph, which it must not outlive. */
dmd_variable_namer_t dmdv_variable_namer(const dmdv_typedgraph_t *graph);

typedef struct dmdv_owners_beside {
  bool is_there;
  dmdv_typedgraph_t graph;
  dmd_kinds_t kinds;
  dmd_records_t records;
  dmd_owners_t owners;
  dmd_variable_namer_t namer;
  dmd_owners_view_t view;
  dmd_owner_hint_t advice;
} dmdv_owners_beside_t;

/* Whether finding them takes at most about a second: the profile has unreported blocks, and at most
 * 200,000 blocks, and the file of the graph has at most 8 MiB. If only the graph is too large, a
 * note says which commands read it. Reads nothing. */
bool dmdv_owners_take_little(const dmd_profile_t *profile, const char *name);

/* Looks for the graph of the same moment beside the profile that was read from this file. If there
 * is no graph, or it cannot be read, there are no owners. The struct must not move. */
void dmdv_owners_beside_init(dmdv_owners_beside_t *beside, const dmd_profile_t *profile,
                             const char *name, uint32_t max_frames);
void dmdv_owners_beside_destroy(dmdv_owners_beside_t *beside);

#endif
