/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/loaded.h"

#include "base/str.h"

/* How to recognise allocators: by the name of their library or, if linked into the program, by a
 * function that only they have. The first match counts. */
typedef struct {
  dmd_allocator_t model;
  const char *library; /* a glob */
  const char *symbol;  /* NULL: none */
} sign_t;

static const sign_t signs[] = {
    {DMD_ALLOCATOR_MOZJEMALLOC, "libmozglue*.so*", "moz_arena_malloc"},
    {DMD_ALLOCATOR_JEMALLOC, "libjemalloc*.so*", "mallctl"},
    {DMD_ALLOCATOR_EXACT, "libtcmalloc*debug*.so*", NULL}, /* checks bounds, and has no slop */
    {DMD_ALLOCATOR_TCMALLOC, "libtcmalloc*.so*", "tc_malloc"},
    {DMD_ALLOCATOR_MIMALLOC, "libmimalloc*.so*", "mi_malloc"},
};
enum { N_SIGNS = sizeof signs / sizeof signs[0], NO_SIGN = N_SIGNS };

/* True if an object (NULL: the program) replaces the C library's allocator. Looks for realloc,
 * since parts of the engine may define a malloc and be mistaken for the program. */
static bool replaces_malloc(const dmd_engine_host_t *host, const char *soname, bool if_unknown) {
  return host->defines(host->ctx, soname, "realloc", if_unknown);
}

/* ---- Allocators linked into the program. ---- */

static uint32_t sign_of_program(const dmd_engine_host_t *host) {
  uint32_t i = 0;
  if (!replaces_malloc(host, NULL, false))
    return NO_SIGN;
  while (i < N_SIGNS &&
         (signs[i].symbol == NULL || !host->defines(host->ctx, NULL, signs[i].symbol, false)))
    i++;
  return i;
}

/* ---- Libraries. ---- */

static uint32_t sign_of_file(const char *path, size_t n) {
  const char *base = path + n;
  while (base > path && base[-1] != '/')
    base--;
  uint32_t i = 0;
  while (i < N_SIGNS && !dmd_glob_matches_n(signs[i].library, base, (size_t)(path + n - base)))
    i++;
  return i;
}

/* What the loaded objects contain. */
typedef struct {
  const dmd_engine_host_t *host;
  bool is_wanted;    /* search for allocators, which takes time */
  bool has[N_SIGNS]; /* kinds of allocators found */
  bool new_rounds_up;
} loaded_t;

/* From GCC 7, the first with an aligned new, to GCC 12. */
static bool is_rounding_cxx_library(const char *path) {
  return dmd_glob_matches("*/libstdc++.so.6.0.2?", path) ||
         dmd_glob_matches("*/libstdc++.so.6.0.30", path);
}

/* Ignores an allocator that does not define malloc and its relatives: the program then has two
 * allocators. */
static void note_object(void *visitor, const char *path, const char *soname) {
  loaded_t *loaded = visitor;
  uint32_t i = loaded->is_wanted ? sign_of_file(path, dmd_str_length(path)) : NO_SIGN;
  loaded->new_rounds_up |= is_rounding_cxx_library(path);
  if (i != NO_SIGN && soname[0] != '\0' && replaces_malloc(loaded->host, soname, true))
    loaded->has[i] = true;
}

/* The first preloaded library that is an allocator takes precedence over libraries that the program
 * is linked with. */
static uint32_t sign_of_preloaded(const loaded_t *loaded) {
  const char *list = loaded->host->environment(loaded->host->ctx, "LD_PRELOAD");
  while (list != NULL && *list != '\0') {
    size_t n = dmd_str_span_without(list, ": ");
    uint32_t i = sign_of_file(list, n);
    if (i != NO_SIGN && loaded->has[i])
      return i;
    list += n + dmd_str_span(list + n, ": ");
  }
  return NO_SIGN;
}

static uint32_t sign_of_libraries(const loaded_t *loaded) {
  uint32_t i = sign_of_preloaded(loaded);
  if (i == NO_SIGN)
    for (i = 0; i < N_SIGNS && !loaded->has[i]; i++) {
    }
  return i;
}

void dmd_engine_find_allocator(dmd_engine_t *engine) {
  const dmd_engine_host_t *host = engine->host;
  loaded_t loaded = {.host = host, .is_wanted = engine->live.config.allocator_is_auto};
  engine->is_allocator_settled = true;
  host->objects(host->ctx, note_object, &loaded);
  engine->new_rounds_up = loaded.new_rounds_up;
  if (!loaded.is_wanted)
    return;
  uint32_t i = sign_of_program(host);
  if (i == NO_SIGN)
    i = sign_of_libraries(&loaded);
  if (i != NO_SIGN)
    engine->live.config.allocator = signs[i].model;
}
