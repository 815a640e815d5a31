/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphbeside.h: what the heap graph says that was written together with a profile.
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

/* For the graph of the same moment beside a profile. False if it is missing. */
bool dmdv_waste_beside(dmd_wasted_t *wasted, const dmd_profile_t *profile, const char *name);

/* ---- Owners. ----
 *
 * Finds the owners of a profile's unreported blocks in the heap graph beside it. */

/* Names variables from the debug information of a graph, which it must not outlive. */
dmd_variable_namer_t dmdv_variable_namer(const dmdv_typedgraph_t *graph);

typedef struct dmdv_beside {
  bool is_there, has_owners;
  dmdv_typedgraph_t graph;
  dmd_kinds_t kinds;
  dmd_records_t records;
  dmd_owners_t owners;
  dmd_variable_namer_t namer;
  dmd_owners_view_t view;
  dmd_owner_hint_t hint;
} dmdv_beside_t;

/* How much of the graph beside a profile can be read in about a second. */
typedef enum {
  DMDV_BESIDE_NONE,    /* there is no graph */
  DMDV_BESIDE_TOO_BIG, /* nothing */
  DMDV_BESIDE_PLAIN,   /* all but types and owners */
  DMDV_BESIDE_TYPED,   /* all but owners */
  DMDV_BESIDE_ALL      /* at most 500,000 blocks, in a file of at most 16 MiB */
} dmdv_beside_part_t;

/* Reads nothing of the graph. */
dmdv_beside_part_t dmdv_beside_part(const dmd_profile_t *profile, const char *name);

/* Whether finding owners takes at most about a second, and there are unreported blocks. If only the
 * graph is too large, a note says which commands read it. */
bool dmdv_owners_take_little(const dmd_profile_t *profile, const char *name);

typedef struct dmdv_beside_options {
  bool with_types, with_owners; /* owners need types */
  bool is_quiet;                /* no note on missing debug information */
  uint32_t max_frames;          /* of stacks */
} dmdv_beside_options_t;

/* Looks for the graph of the same moment beside the profile that was read from this file. If there
 * is no graph, or it cannot be read, `is_there` is false. The struct must not move. */
void dmdv_beside_init(dmdv_beside_t *beside, const dmd_profile_t *profile, const char *name,
                      const dmdv_beside_options_t *options);
void dmdv_beside_destroy(dmdv_beside_t *beside);

#endif
