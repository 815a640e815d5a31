/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/allocfns.h"

#include "reader/frame.h"

#include <stddef.h>
#include <string.h>

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

bool dmdv_is_alloc_fn(const char *frame) {
  size_t n = dmdv_frame_function_length(frame);
  for (size_t i = 0; i < sizeof fragments / sizeof fragments[0]; i++) {
    const char *found = strstr(frame, fragments[i]);
    if (found != NULL && (size_t)(found - frame) + strlen(fragments[i]) <= n)
      return true;
  }
  return false;
}
