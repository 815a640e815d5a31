/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols.h: stacks as frames, for the time of one dump.
 *
 * A stack of addresses becomes one of frames (profile/frame.h), with inlined calls as frames of
 * their own. Each address is looked up once a dump, however many stacks it is in. How much of a
 * stack is shown, codes.h says.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_SYMBOLS_H
#define DMD_ENGINE_SYMBOLS_H

#include "engine/codes.h"

typedef struct dmd_symbols {
  const dmd_engine_host_t *host;
  dmd_profile_t *profile; /* which has the frames */
  dmd_codes_t codes;
  dmd_pool_t addresses; /* by the address's id: what it was looked up as, if it was */
  dmd_pool_t frames;    /* frame ids of the profile, consecutive for each address */
  uint32_t *ids;        /* scratch: the frames of the current stack */
  uint32_t n_ids, room; /* of that */
} dmd_symbols_t;

/* Must stay where it is until it is destroyed. */
void dmd_symbols_init(dmd_symbols_t *symbols, const dmd_engine_host_t *host,
                      dmd_profile_t *profile);
void dmd_symbols_destroy(dmd_symbols_t *symbols);

/* A dmd_resolve_fn: ctx is a dmd_symbols_t. */
uint32_t dmd_symbols_resolve(void *ctx, dmd_profile_t *profile, uint32_t stack);

#endif
