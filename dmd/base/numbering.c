/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/numbering.h"

void dmd_numbering_init(dmd_numbering_t *n, const dmd_env_t *env, const char *cost_centre) {
  dmd_pool_init(&n->numbers, env, cost_centre, sizeof(uint32_t));
  dmd_pool_init(&n->ids, env, cost_centre, sizeof(uint32_t));
}

void dmd_numbering_destroy(dmd_numbering_t *n) {
  dmd_pool_destroy(&n->ids);
  dmd_pool_destroy(&n->numbers);
}

uint32_t dmd_numbering_add(dmd_numbering_t *n, uint32_t id) {
  dmd_pool_reach(&n->numbers, id);
  uint32_t number = dmd_pool_add(&n->ids);
  *DMD_POOL_AT(&n->numbers, uint32_t, id) = number;
  *DMD_POOL_AT(&n->ids, uint32_t, number) = id;
  return number;
}
