/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "census_fixture.h"

#include "profiles/randomgraph.h"

void keyed_begin(keyed_t *keyed, const dmd_env_t *env) {
  dmd_types_init(&keyed->types, env, 8);
  dmd_typing_init(&keyed->typing, &keyed->graph, &keyed->types);
  dmd_kinds_init(&keyed->kinds, &keyed->typing);
  dmd_nodekeys_init(&keyed->keys, &keyed->kinds, 3);
}

static uint64_t throw_below(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

void keyed_random(keyed_t *keyed, const dmd_env_t *env, dice_t *dice) {
  random_dice_t random = {.below = throw_below, .ctx = dice};
  random_graph(&keyed->graph, env, &random);
  keyed_begin(keyed, env);
}

void keyed_end(keyed_t *keyed) {
  dmd_nodekeys_destroy(&keyed->keys);
  dmd_kinds_destroy(&keyed->kinds);
  dmd_typing_destroy(&keyed->typing);
  dmd_types_destroy(&keyed->types);
  dmd_heapgraph_destroy(&keyed->graph);
}

const char *keyed_name(keyed_t *keyed, dmd_nodekey_t key, uint32_t node) {
  return dmd_nodekeys_name(&keyed->keys, key, dmd_nodekeys_value(&keyed->keys, key, node));
}
