/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/allocsite.h"

#include "base/sort.h"

/* Bytes allocated by calls from one frame. */
typedef struct {
  uint32_t frame;
  int64_t usable;
} share_t;

typedef struct {
  dmd_pool_t pool; /* of share_t */
  dmd_table_t index;
} shares_t;

static share_t *share_at(const shares_t *shares, uint32_t id) {
  return DMD_POOL_AT(&shares->pool, share_t, id);
}

static bool share_equal(const void *shares, uint32_t id, const void *key) {
  return share_at(shares, id)->frame == *(const uint32_t *)key;
}

static share_t *share_of(shares_t *shares, uint32_t frame) {
  uint64_t hash = dmd_table_hash(&shares->index, frame);
  uint32_t id = dmd_table_find(&shares->index, hash, &frame);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&shares->pool);
    *share_at(shares, id) = (share_t){.frame = frame};
    dmd_table_add(&shares->index, hash, id);
  }
  return share_at(shares, id);
}

/* Adds up the blocks by allocating frame. */
static void add_groups(shares_t *shares, const dmd_records_t *records, const dmd_record_t *r,
                       dmd_allocfns_t *fns) {
  for (uint32_t i = 0; i < r->n_groups; i++) {
    const dmd_group_t *g = dmd_record_group(records, r, i);
    size_t n;
    const uint32_t *frames = dmd_profile_frames(records->profile, g->stack, &n);
    if (!dmd_has_own_frame(fns, frames, n))
      continue;
    uint32_t frame = frames[dmd_first_own_frame(fns, frames, n)];
    share_t *share = share_of(shares, dmd_frames_at(&records->profile->frames, frame)->alike);
    share->usable += dmd_group_usable(records->profile, g);
  }
}

bool dmd_record_owner(const dmd_records_t *records, const dmd_record_t *r, dmd_allocfns_t *fns,
                      dmd_owner_t *owner) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
  if (n < records->max_frames || dmd_has_own_frame(fns, frames, n))
    return false;
  const dmd_env_t *env = records->profile->env;
  shares_t shares;
  dmd_pool_init(&shares.pool, env, "dmd.owner", sizeof(share_t));
  dmd_table_init(&shares.index, env, "dmd.owner.index", share_equal, &shares);
  add_groups(&shares, records, r, fns);
  uint32_t best = shares.pool.last > 0 ? 1 : DMD_NONE;
  for (uint32_t id = 2; id <= shares.pool.last; id++)
    if (dmd_magnitude(share_at(&shares, id)->usable) >
        dmd_magnitude(share_at(&shares, best)->usable))
      best = id;
  if (best != DMD_NONE)
    *owner =
        (dmd_owner_t){.frame = share_at(&shares, best)->frame, .n_others = shares.pool.last - 1};
  dmd_table_destroy(&shares.index);
  dmd_pool_destroy(&shares.pool);
  return best != DMD_NONE;
}
