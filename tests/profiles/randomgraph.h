/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * randomgraph.h: heap graphs that have all that the format of their files has, made of throws of
 * somebody's dice; their files; and what is in one, in words.
 */
#ifndef TESTS_PROFILES_RANDOMGRAPH_H
#define TESTS_PROFILES_RANDOMGRAPH_H

#include "base/out.h"
#include "graph/heapgraph.h"
#include "random.h"

/* Makes a graph, uninitialised, of up to 60 blocks: some in others, some that nothing reaches,
 * edges to themselves, several between two, roots of all kinds. */
void random_graph(dmd_heapgraph_t *graph, const dmd_env_t *env, const random_dice_t *dice);

/* Writes its file, uncompressed. */
void write_graph(const dmd_heapgraph_t *graph, dmd_write_fn write, void *ctx);

/* All that is in it, without ids of anything but nodes. */
void spell_graph(dmd_out_t *out, const dmd_heapgraph_t *graph);

#endif
