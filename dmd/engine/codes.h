/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * codes.h: the addresses that stacks consist of, each once, and how much of a stack is shown.
 *
 * Addresses get ids, from 1 on, in the order in which they are asked for. What kind of function one
 * is in is looked up once. Frames below main are left out unless the user wants to see them.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_CODES_H
#define DMD_ENGINE_CODES_H

#include "engine/host.h"

typedef struct dmd_codes {
  const dmd_engine_host_t *host;
  dmd_pool_t pool;
  dmd_table_t index;
} dmd_codes_t;

/* Must stay where it is until it is destroyed. */
void dmd_codes_init(dmd_codes_t *codes, const dmd_engine_host_t *host, const dmd_env_t *env);
void dmd_codes_destroy(dmd_codes_t *codes);

/* The id of an address, new or not, and the address with this id. */
uint32_t dmd_codes_id(dmd_codes_t *codes, dmd_code_t code);
dmd_code_t dmd_codes_at(const dmd_codes_t *codes, uint32_t id);

static inline uint32_t dmd_codes_count(const dmd_codes_t *codes) {
  return codes->pool.last;
}

/* Those of a stack that are shown, the innermost first, *n of them: up to main, or up to the
 * innermost of what is below main where there is no main. Good until the next call. */
const dmd_code_t *dmd_codes_shown(dmd_codes_t *codes, uint32_t stack, uint32_t *n);

#endif
