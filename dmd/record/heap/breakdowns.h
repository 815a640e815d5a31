/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * breakdowns.h: the heap by stack and tag at some moments (model/profile/timeline.h). A part of
 * blocks.h.
 *
 * Which stacks matter is known only later, so a breakdown keeps the DMD_MAX_TIMESTACKS largest. The
 * dump chooses from these: the stacks that were among the first ten of any breakdown, and those
 * that grew from the first half of the breakdowns to the second.
 *
 * As in timekeeper.h, time is divided into slots that become twice as long when the breakdowns are
 * full. The larger heap of a slot stays.
 *
 * Cost: a breakdown walks all blocks while the program waits. So the next one waits until 8 times
 * as many blocks as there are were allocated, or the program ran 200 times as long as the walk
 * takes.
 *
 * Concurrency: all shard locks are held.
 */
#ifndef DMD_RECORD_HEAP_BREAKDOWNS_H
#define DMD_RECORD_HEAP_BREAKDOWNS_H

#include "model/profile/translate.h"
#include "record/heap/shard.h"

typedef struct dmd_amount {
  uint32_t id; /* of a stack or a tag of the live heap */
  uint64_t szB;
} dmd_amount_t;

typedef struct dmd_kept_breakdown {
  dmd_timepoint_t at;
  uint32_t n_stacks, n_tags;
  dmd_amount_t stacks[DMD_MAX_TIMESTACKS], tags[DMD_MAX_TIMETAGS]; /* largest first */
} dmd_kept_breakdown_t;

typedef struct dmd_breakdowns {
  const dmd_env_t *env;
  const dmd_shard_t *shards;
  uint32_t n_shards;
  uint64_t spacing_ms;           /* length of a slot */
  uint64_t next_ms;              /* start of the next slot without a breakdown */
  uint64_t last_ms, n_allocated; /* at the last walk */
  dmd_kept_breakdown_t *kept;    /* room for DMD_MAX_BREAKDOWNS + 1; NULL: none so far */
  uint32_t n_kept;
  dmd_pool_t by_stack, by_tag; /* uint64_t: bytes, by the live heap's id */
} dmd_breakdowns_t;

void dmd_breakdowns_init(dmd_breakdowns_t *b, const dmd_env_t *env, const dmd_shard_t *shards,
                         uint32_t n_shards);
void dmd_breakdowns_destroy(dmd_breakdowns_t *b);

/* Forgets everything: this is the child of a fork. */
void dmd_breakdowns_restart(dmd_breakdowns_t *b);

/* Adds a breakdown of now if one is due. n_allocated: allocations so far. not_new: as
 * in dmd_heap_each. */
void dmd_breakdowns_look(dmd_breakdowns_t *b, const dmd_timepoint_t *now, uint64_t n_allocated,
                         uint64_t not_new);

/* Adds them to the timeline of the profile that ids translate to, up to now. unit: as in
 * dmd_timekeeper_tell. */
void dmd_breakdowns_tell(dmd_breakdowns_t *b, const dmd_timepoint_t *now, uint64_t unit,
                         dmd_translation_t *ids);

#endif
