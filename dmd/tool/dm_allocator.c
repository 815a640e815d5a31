/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#include "base/glob.h"
#include "tool/dm_allocator.h"
#include "tool/dm_env.h"
#include "tool/dm_private.h"

Bool g_allocator_settled;
Bool g_new_rounds_up;

/* How to tell allocators: by the name of their library, or by a function that only they have, in a
 * program that they are linked into. The first that fits counts. */
typedef struct {
  dmd_allocator_t model;
  const HChar *library; /* a pattern; NULL: none */
  const HChar *symbol;  /* NULL: none */
} sign_t;
static const sign_t g_signs[] = {
    {DMD_ALLOCATOR_MOZJEMALLOC, "libmozglue*.so*", "moz_arena_malloc"},
    {DMD_ALLOCATOR_JEMALLOC, "libjemalloc*.so*", "mallctl"},
    {DMD_ALLOCATOR_EXACT, "libtcmalloc*debug*.so*", NULL}, /* it checks bounds, and gives no slop */
    {DMD_ALLOCATOR_TCMALLOC, "libtcmalloc*.so*", "tc_malloc"},
    {DMD_ALLOCATOR_MIMALLOC, "libmimalloc*.so*", "mi_malloc"},
};
enum { N_SIGNS = sizeof g_signs / sizeof g_signs[0], NO_SIGN = N_SIGNS };

/* Whether an object replaces the C library's allocator. Asked of realloc, since the tool itself,
 * which is among the objects without a soname, has a malloc for zlib. */
static Bool replaces_malloc(const HChar *soname_pattern, Bool if_unknown) {
  return dm_defines(soname_pattern, "realloc", if_unknown);
}

/* ---- A program that brings its allocator with it. ---- */

static UInt sign_of_program(void) {
  static const HChar program[] = "NONE"; /* Valgrind's name for what has no soname */
  UInt i = 0;
  if (!replaces_malloc(program, False))
    return NO_SIGN;
  while (i < N_SIGNS &&
         (g_signs[i].symbol == NULL || !dm_defines(program, g_signs[i].symbol, False)))
    i++;
  return i;
}

/* ---- Libraries. ---- */

static UInt sign_of_file(const HChar *path) {
  const HChar *slash = VG_(strrchr)(path, '/');
  UInt i = 0;
  while (i < N_SIGNS && !dmd_glob_matches(g_signs[i].library, slash == NULL ? path : slash + 1))
    i++;
  return i;
}

/* Finds out which kinds of allocator are loaded. One whose functions have other names than malloc
 * and its kin does not count: the program has two allocators then. */
static void find_loaded(Bool loaded[N_SIGNS]) {
  for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di != NULL; di = VG_(next_DebugInfo)(di)) {
    UInt i = sign_of_file(VG_(DebugInfo_get_filename)(di));
    const HChar *soname = VG_(DebugInfo_get_soname)(di);
    if (i != NO_SIGN && soname != NULL && replaces_malloc(soname, True))
      loaded[i] = True;
  }
}

/* The first of the preloaded libraries that is an allocator goes before those that the program is
 * linked with. */
static UInt sign_of_preloaded(const Bool loaded[N_SIGNS]) {
  const HChar *list = VG_(getenv)("LD_PRELOAD");
  if (list == NULL)
    return NO_SIGN;
  HChar *copy = VG_(strdup)("dm.allocator.preload", list), *rest;
  UInt found = NO_SIGN;
  for (HChar *path = VG_(strtok_r)(copy, ": ", &rest); path != NULL && found == NO_SIGN;
       path = VG_(strtok_r)(NULL, ": ", &rest)) {
    UInt i = sign_of_file(path);
    if (i != NO_SIGN && loaded[i])
      found = i;
  }
  VG_(free)(copy);
  return found;
}

static UInt sign_of_libraries(void) {
  Bool loaded[N_SIGNS] = {False};
  find_loaded(loaded);
  UInt i = sign_of_preloaded(loaded);
  if (i == NO_SIGN)
    for (i = 0; i < N_SIGNS && !loaded[i]; i++) {
    }
  return i;
}

/* Of GCC 7, the first to have an aligned new, to GCC 12. */
static Bool is_rounding_cxx_library(const HChar *path) {
  return dmd_glob_matches("*/libstdc++.so.6.0.2?", path) ||
         dmd_glob_matches("*/libstdc++.so.6.0.30", path);
}

void dm_settle_allocator(void) {
  if (g_allocator_settled)
    return;
  g_allocator_settled = True;
  for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di != NULL; di = VG_(next_DebugInfo)(di))
    g_new_rounds_up |= is_rounding_cxx_library(VG_(DebugInfo_get_filename)(di));
  if (!g_live.config.allocator_is_auto)
    return;
  UInt i = sign_of_program();
  if (i == NO_SIGN)
    i = sign_of_libraries();
  if (i != NO_SIGN)
    g_live.config.allocator = g_signs[i].model;
}
