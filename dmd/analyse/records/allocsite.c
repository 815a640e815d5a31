/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/allocsite.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"

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

/* ---- Known blocks. ---- */

/* Bounds of the pool's size, which depends on the version, and on tunables in later ones. */
enum { LEAST = 64 * 1024, MOST = 128 * 1024 };

/* True if the C++ library, linked dynamically or statically, makes the call when it sets up the
 * pool; in Debian's library the function has no name. */
static bool sets_pool_up(const dmd_location_t *l) {
  if (l->object != NULL && l->function == NULL)
    return dmd_glob_matches("libstdc++.so*", dmd_path_base(l->object));
  return l->function != NULL && (dmd_glob_matches("*eh_alloc*", l->function) ||
                                 dmd_glob_matches("*pool::pool*", l->function) ||
                                 (l->file != NULL && dmd_str_equal(l->file, "eh_alloc.cc")));
}

static bool starts_objects(const dmd_location_t *l) {
  return l->function != NULL &&
         (dmd_str_begins(l->function, "call_init") || dmd_str_begins(l->function, "_dl_init") ||
          dmd_str_begins(l->function, "__libc_csu_init") ||
          dmd_str_begins(l->function, "__libc_start_main"));
}

const char *dmd_known_block(const dmd_records_t *records, const dmd_record_t *r,
                            dmd_allocfns_t *fns) {
  if (r->num != 1 || r->req < LEAST || r->req > MOST)
    return NULL;
  size_t n;
  const dmd_frames_t *all = &records->profile->frames;
  const uint32_t *frames =
      dmd_profile_frames(records->profile, dmd_record_group(records, r, 0)->stack, &n);
  size_t own = n > 0 ? dmd_first_own_frame(fns, frames, n) : 0;
  bool starts = false;
  for (size_t i = own + 1; i < n && !starts; i++) {
    dmd_location_t caller = dmd_frames_location(all, frames[i]);
    starts = starts_objects(&caller);
  }
  if (!starts)
    return NULL;
  dmd_location_t place = dmd_frames_location(all, frames[own]);
  return sets_pool_up(&place) ? "the C++ library's memory for exceptions when the heap is exhausted"
                              : NULL;
}
