/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/measurefns.h"

#include "base/fnname.h"
#include "base/path.h"
#include "base/str.h"

/* A frame that is neither is treated like the next one. */
typedef enum { IS_OWN, IS_LIBRARY, IS_MEASURING } kind_t;

/* True for functions that DMD_MEASURE generates in a class. */
static bool is_of_list(const char *function) {
  return dmd_str_find(function, "dmd_walk_") != NULL ||
         dmd_str_find(function, "dmd_members_") != NULL;
}

/* An inlined function may have lost its namespace. */
static bool is_in_header(const char *file) {
  static const char *const headers[] = {"measure.hpp", "measure_list.hpp", "measure_std.hpp"};
  for (size_t i = 0; file != NULL && i < sizeof headers / sizeof *headers; i++)
    if (dmd_str_equal(dmd_path_base(file), headers[i]))
      return true;
  return false;
}

/* The scopes of dmd.h are used by the program or by this code. */
static kind_t kind_by_name(const char *bare) {
  if (dmd_str_begins(bare, "std::"))
    return IS_LIBRARY;
  if (!dmd_str_begins(bare, "dmd::"))
    return IS_OWN;
  return dmd_str_find(bare, "Scope::") == NULL ? IS_MEASURING : IS_LIBRARY;
}

static kind_t kind_of(const dmd_profile_t *profile, uint32_t frame) {
  dmd_location_t l = dmd_frames_location(&profile->frames, frame);
  if (l.function == NULL)
    return IS_OWN;
  if (is_in_header(l.file) || is_of_list(l.function))
    return IS_MEASURING;
  if (dmd_str_find(l.function, "::") == NULL)
    return IS_OWN;
  dmd_strbuf_t bare;
  dmd_strbuf_init(&bare, profile->env);
  dmd_fnname_bare(&bare, l.function, dmd_str_length(l.function));
  kind_t kind = kind_by_name(bare.text);
  dmd_strbuf_destroy(&bare);
  return kind;
}

size_t dmd_measuring_frames(const dmd_profile_t *profile, const uint32_t *frames, size_t n) {
  size_t n_measuring = 0;
  for (size_t i = 0; i < n; i++) {
    kind_t kind = kind_of(profile, frames[i]);
    if (kind == IS_OWN)
      return n_measuring;
    if (kind == IS_MEASURING)
      n_measuring = i + 1;
  }
  return n_measuring < n ? n_measuring : 0;
}
