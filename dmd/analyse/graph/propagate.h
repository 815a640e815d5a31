/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * propagate.h: type propagation: the target of a typed pointer has the type that it points to.
 *
 * It proceeds in rounds from typed nodes to the blocks they point to, until a round finds nothing.
 * In each round every pointer votes; the more informative type wins, and among equal ones the one
 * with most votes. Better evidence is kept, unless it only says that a block contains bytes. In
 * later rounds a type is only replaced by a more informative one, so each block is assigned at most
 * three types, and the process ends.
 *
 * Memory while it runs: 4 bytes a node, and 32 for each candidate type of a block in a round.
 */
#ifndef DMD_ANALYSE_GRAPH_PROPAGATE_H
#define DMD_ANALYSE_GRAPH_PROPAGATE_H

#include "analyse/graph/typing.h"

void dmd_typing_propagate(dmd_typing_t *typing);

#endif
