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

size_t dmd_first_own_frame(const dmd_profile_t *profile, const uint32_t *frames, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!dmd_is_alloc_fn(dmd_intern_get_str(&profile->frames, frames[i])))
      return i;
  return 0;
}
