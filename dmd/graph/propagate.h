/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * propagate.h: types that follow from types: what a typed pointer leads to has the type that it
 * points to.
 *
 * It goes in rounds, from the nodes that have a type to the blocks that these lead to, from those
 * to the next, until nothing is found any more. In a round each pointer has a vote; what tells more
 * wins, of equal ones what has most votes. A block keeps what better evidence said, unless that was
 * only that it holds bytes; and in later rounds what it got is replaced only by what tells more. So
 * each block gets at most three types, and the rounds come to an end.
 *
 * Memory while it runs: 4 bytes a node, and 32 for each type that some block may have in a round.
 */
#ifndef DMD_GRAPH_PROPAGATE_H
#define DMD_GRAPH_PROPAGATE_H

#include "graph/typing.h"

void dmd_typing_propagate(dmd_typing_t *typing);

#endif
