/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * liveparts.h: finds blocks of which only a part is in use, so that words behind it are left from
 * the memory's earlier use.
 *
 * The array of a std::vector is in use up to the vector's size, which its second pointer shows. No
 * part of a buffer of C's streams (stdio) holds pointers.
 */
#ifndef DMD_ANALYSE_GRAPH_LIVEPARTS_H
#define DMD_ANALYSE_GRAPH_LIVEPARTS_H

#include "analyse/graph/typing.h"

/* Notes them in the typing (dmd_typing_add_part). Call when the types of all nodes are set. Time:
 * proportional to nodes and edges. */
void dmd_liveparts_find(dmd_typing_t *typing);

#endif
