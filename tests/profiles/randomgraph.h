/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * randomgraph.h: random heap graphs that use every feature of the file format; their files; and a
 * description of a graph as text.
 */
#ifndef TESTS_PROFILES_RANDOMGRAPH_H
#define TESTS_PROFILES_RANDOMGRAPH_H

#include "base/out.h"
#include "model/graph/heapgraph.h"
#include "random.h"

/* Makes a graph, which must be uninitialised, of up to 60 blocks: nested ones, unreachable ones,
 * edges of a node to itself, several edges between two nodes, roots of all kinds. */
void random_graph(dmd_heapgraph_t *graph, const dmd_env_t *env, const random_dice_t *dice);

/* Writes its file, uncompressed. */
void write_graph(const dmd_heapgraph_t *graph, dmd_write_fn write, void *ctx);

/* The whole graph as text, with the ids of nodes only. */
void spell_graph(dmd_out_t *out, const dmd_heapgraph_t *graph);

#endif
