/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols.h: turns stacks of addresses into stacks of frames, during one dump.
 *
 * A stack of addresses becomes one of frames (model/profile/frame.h), with inlined calls as frames
 * of their own. Each address is looked up once per dump, however many stacks contain it. codes.h
 * decides how much of a stack is shown.
 */
#ifndef DMD_RECORD_ENGINE_SYMBOLS_H
#define DMD_RECORD_ENGINE_SYMBOLS_H

#include "record/unwind/codes.h"

typedef struct dmd_symbols {
  const dmd_engine_host_t *host;
  dmd_profile_t *profile; /* owns the frames */
  dmd_codes_t codes;
  dmd_pool_t addresses; /* by address id: the frames, if looked up */
  dmd_pool_t frames;    /* frame ids of the profile, contiguous per address */
  uint32_t *ids;        /* scratch: the frames of the current stack */
  uint32_t n_ids, room; /* of ids */
} dmd_symbols_t;

/* Must not move until it is destroyed. */
void dmd_symbols_init(dmd_symbols_t *symbols, const dmd_engine_host_t *host,
                      dmd_profile_t *profile);
void dmd_symbols_destroy(dmd_symbols_t *symbols);

/* A dmd_resolve_fn; ctx is a dmd_symbols_t. */
uint32_t dmd_symbols_resolve(void *ctx, dmd_profile_t *profile, uint32_t stack);

#endif
