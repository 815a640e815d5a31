/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * choose.h: the nodes of a heap graph that a command is about: those of --of or --to, and --filter.
 */
#ifndef DMD_READER_COMMAND_CHOOSE_H
#define DMD_READER_COMMAND_CHOOSE_H

#include "base/bitset.h"
#include "reader/command/graphcommand.h"

/* Makes a set of the nodes that the option's text means (graph/select.h; NULL: all blocks) and that
 * all filters pick. False, with the reason on stderr, when the text is wrong or means nothing.
 * Destroy it either way. */
bool dmdv_choose(dmd_bitset_t *nodes, dmdv_graph_t *graph, dmdv_graph_options_t *options,
                 const char *option, const char *text);

#endif
