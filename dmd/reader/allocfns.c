/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/allocfns.h"

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

/* Where the name ends: at the " (" of the last "(file:line)" or "(object)", or at the '[' of
 * "[object +0xoff]". */
static size_t name_length(const char *frame) {
  size_t n = strlen(frame);
  const char *end = NULL;
  if (n > 0 && frame[n - 1] == ')')
    for (const char *s = strstr(frame, " ("); s != NULL; s = strstr(s + 1, " ("))
      end = s;
  else if (n > 0 && frame[n - 1] == ']')
    end = strrchr(frame, '[');
  return end != NULL ? (size_t)(end - frame) : n;
}

bool dmdv_is_alloc_fn(const char *frame) {
  size_t n = name_length(frame);
  for (size_t i = 0; i < sizeof fragments / sizeof fragments[0]; i++) {
    const char *found = strstr(frame, fragments[i]);
    if (found != NULL && (size_t)(found - frame) + strlen(fragments[i]) <= n)
      return true;
  }
  return false;
}
