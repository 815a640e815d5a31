/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/allocfns.h"

#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"

/* Each is looked for anywhere in the name: "malloc" also finds moz_xmalloc and js_malloc. */
static const char *const fragments[] = {
    "malloc",
    "calloc",
    "realloc",
    "memalign",
    "allocx",
    "operator new(",
    "operator new[](",
    "g_slice_alloc",
    "mozilla::dmd::AllocCallback",
    "mozilla::dmd::StackTrace::Get",
};

bool dmd_is_alloc_fn(const char *function) {
  if (function == NULL)
    return true;
  for (size_t i = 0; i < sizeof fragments / sizeof fragments[0]; i++)
    if (dmd_str_find(function, fragments[i]) != NULL)
      return true;
  return false;
}

static bool is_any_of(const char *path, const char *const *globs, size_t n) {
  const char *name = dmd_path_base(path);
  for (size_t i = 0; i < n; i++)
    if (dmd_glob_matches(globs[i], name))
      return true;
  return false;
}

static bool is_of_valgrind(const char *path) {
  static const char *const globs[] = {"vgpreload_*"};
  return is_any_of(path, globs, 1);
}

bool dmd_is_alloc_object(const char *path) {
  static const char *const globs[] = {
      "libc.so*",   "libc-?.*.so",  "ld-*.so*",     "ld.so*",       "libpthread*.so*",
      "libc.musl*", "ld-musl*",     "libjemalloc*", "libtcmalloc*", "libmimalloc*",
      "libhoard*",  "libsnmalloc*", "librpmalloc*", "libtbbmalloc*"};
  return is_of_valgrind(path) || is_any_of(path, globs, sizeof globs / sizeof *globs);
}

/* How good a frame is as the one that allocated. */
enum { RANK_NONE, RANK_PLACE, RANK_NAMED, RANK_OWN };

/* What is known of a frame. */
typedef struct {
  bool is_known;
  bool allocates; /* its function, by its name */
  uint8_t rank;
  uint8_t padding; /* elements of a pool have 4 bytes at least */
} judged_t;

void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile) {
  fns->profile = profile;
  dmd_pool_init(&fns->judged, profile->env, "dmd.allocfns", sizeof(judged_t));
}

void dmd_allocfns_destroy(dmd_allocfns_t *fns) {
  dmd_pool_destroy(&fns->judged);
}

static judged_t judge(const dmd_location_t *l) {
  judged_t judged = {.is_known = true, .allocates = dmd_is_alloc_fn(l->function)};
  bool is_allocation = l->function != NULL && judged.allocates;
  if (!is_allocation && (l->object != NULL ? !dmd_is_alloc_object(l->object) : !judged.allocates))
    judged.rank = RANK_OWN;
  else if (!judged.allocates)
    judged.rank = RANK_NAMED;
  else if (l->object != NULL && !is_of_valgrind(l->object))
    judged.rank = RANK_PLACE;
  return judged;
}

static judged_t judged(dmd_allocfns_t *fns, uint32_t frame) {
  dmd_pool_reach(&fns->judged, frame);
  judged_t *at = DMD_POOL_AT(&fns->judged, judged_t, frame);
  if (!at->is_known) {
    dmd_location_t location = dmd_frames_location(&fns->profile->frames, frame);
    *at = judge(&location);
  }
  return *at;
}

bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame) {
  return judged(fns, frame).allocates;
}

size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n) {
  size_t best = 0;
  uint8_t rank = RANK_NONE;
  for (size_t i = 0; i < n && rank < RANK_OWN; i++) {
    judged_t here = judged(fns, frames[i]);
    if (here.rank > rank) {
      best = i;
      rank = here.rank;
    }
  }
  return best;
}
