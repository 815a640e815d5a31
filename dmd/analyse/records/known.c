/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/known.h"

#include "base/path.h"
#include "base/str.h"

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
