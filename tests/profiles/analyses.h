/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * analyses.h: types for a random graph, and the results of all analyses of a graph in one text, so
 * that two copies of a graph can be compared.
 */
#ifndef TESTS_PROFILES_ANALYSES_H
#define TESTS_PROFILES_ANALYSES_H

#include "analyse/graph/typing.h"
#include "base/out.h"
#include "random.h"

/* Gives some of the graph's nodes types, with any evidence. Members of structs are read on demand.
 * The types must be initialised and empty. */
void random_types(dmd_typing_t *typing, const random_dice_t *dice);

/* Census by every key, retained sizes, paths to all blocks, leaks and owners as JSON, and the name
 * of every edge. Adds the graph's blocks to its profile. */
void write_analyses(dmd_out_t *out, dmd_heapgraph_t *heap, dmd_typing_t *typing);

#endif
