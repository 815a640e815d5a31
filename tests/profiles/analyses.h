/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * analyses.h: types for a random graph, and all that is computed of a graph in one text, so that
 * two ways to one graph can be compared.
 */
#ifndef TESTS_PROFILES_ANALYSES_H
#define TESTS_PROFILES_ANALYSES_H

#include "base/out.h"
#include "graph/typing.h"
#include "random.h"

/* Gives some of the graph's nodes types, with any evidence. Members of structs come when somebody
 * asks for them. The types, initialised and empty, are filled. */
void random_types(dmd_typing_t *typing, const random_dice_t *dice);

/* Census by every key, retained sizes, paths to all blocks, leaks and owners as JSON, and the name
 * of every edge. Adds the graph's blocks to its profile. */
void write_analyses(dmd_out_t *out, dmd_heapgraph_t *heap, dmd_typing_t *typing);

#endif
