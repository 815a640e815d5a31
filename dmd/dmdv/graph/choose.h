/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * choose.h: the nodes of a heap graph that a command works on: those of --of or --to, and --filter.
 */
#ifndef DMD_DMDV_GRAPH_CHOOSE_H
#define DMD_DMDV_GRAPH_CHOOSE_H

#include "base/bitset.h"
#include "dmdv/graph/graphcommand.h"

/* Makes the set of nodes that the option's text selects (analyse/graph/select.h; NULL: all blocks)
 * and that match all filters. False, with the reason on stderr, if the text is invalid or selects
 * nothing. Destroy it either way. */
bool dmdv_choose(dmd_bitset_t *nodes, dmdv_graph_t *graph, dmdv_graph_options_t *options,
                 const char *option, const char *text);

#endif
