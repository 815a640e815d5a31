/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphcensus.h: the census of one heap graph, or of the difference of two, for dmdv census and
 * dmdv diff.
 */
#ifndef DMD_DMDV_GRAPH_GRAPHCENSUS_H
#define DMD_DMDV_GRAPH_GRAPHCENSUS_H

#include "analyse/graph/census.h"
#include "dmdv/graph/graphcommand.h"

/* Counts the blocks of one file, or of the second file less the first, and shows them. False, with
 * the reason on stderr, if that fails. */
bool dmdv_graph_census(dmdv_graph_options_t *options, const dmd_census_by_t *by);

#endif
