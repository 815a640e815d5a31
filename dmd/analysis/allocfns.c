/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/allocfns.h"

#include "analysis/frame.h"
#include "base/str.h"

/* Each is looked for anywhere in the name: "malloc" also finds moz_xmalloc and js_malloc. */
static const char *const fragments[] = {
    "malloc",
    "calloc",
    "realloc",
    "memalign",
    "operator new(",
    "operator new[](",
    "g_slice_alloc",
    "???",
    "mozilla::dmd::AllocCallback",
    "mozilla::dmd::StackTrace::Get",
};

bool dmd_is_alloc_fn(const char *frame) {
  size_t n = dmd_frame_function_length(frame);
  for (size_t i = 0; i < sizeof fragments / sizeof fragments[0]; i++) {
    const char *found = dmd_str_find(frame, fragments[i]);
    if (found != NULL && (size_t)(found - frame) + dmd_str_length(fragments[i]) <= n)
      return true;
  }
  return false;
}

enum { UNKNOWN, ALLOCATES, OWN };

void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile) {
  fns->profile = profile;
  dmd_pool_init(&fns->judged, profile->env, "dmd.allocfns", sizeof(uint32_t));
}

void dmd_allocfns_destroy(dmd_allocfns_t *fns) {
  dmd_pool_destroy(&fns->judged);
}

bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame) {
  dmd_pool_reach(&fns->judged, frame);
  uint32_t *judged = DMD_POOL_AT(&fns->judged, uint32_t, frame);
  if (*judged == UNKNOWN)
    *judged = dmd_is_alloc_fn(dmd_intern_get_str(&fns->profile->frames, frame)) ? ALLOCATES : OWN;
  return *judged == ALLOCATES;
}

size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!dmd_allocfns_has(fns, frames[i]))
      return i;
  return 0;
}
