/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * census_fixture.h: a heap graph with its types, kinds and keys.
 */
#ifndef TESTS_UNIT_CENSUS_FIXTURE_H
#define TESTS_UNIT_CENSUS_FIXTURE_H

#include "host.h"

#include "analyse/graph/census.h"

typedef struct keyed {
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
} keyed_t;

/* Around keyed->graph, which is complete. */
void keyed_begin(keyed_t *keyed, const dmd_env_t *env);
/* As above, for a random graph. */
void keyed_random(keyed_t *keyed, const dmd_env_t *env, dice_t *dice);
/* Destroys the graph, too. */
void keyed_end(keyed_t *keyed);

/* The name of a block's value. */
const char *keyed_name(keyed_t *keyed, dmd_nodekey_t key, uint32_t node);

#endif
