/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphcensus.h: the census of one heap graph, or the difference of two, as dmdv census and dmdv
 * diff show it.
 */
#ifndef DMD_READER_COMMAND_GRAPHCENSUS_H
#define DMD_READER_COMMAND_GRAPHCENSUS_H

#include "graph/census.h"
#include "reader/command/graphcommand.h"

/* Counts the blocks of one file, or of the second less the first, and shows them. False, with the
 * reason on stderr, when that fails. */
bool dmdv_graph_census(dmdv_graph_options_t *options, const dmd_census_by_t *by);

#endif
