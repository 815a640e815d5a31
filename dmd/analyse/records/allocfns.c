/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/allocfns.h"

#include "base/fnname.h"
#include "base/path.h"
#include "base/str.h"

/* Matched anywhere in the name: "malloc" also matches moz_xmalloc and js_malloc. */
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

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool matches_any(const char *const *globs, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (dmd_glob_matches(globs[i], name))
      return true;
  return false;
}

/* ---- Wrappers and the C++ library. ---- */

/* Globs for the last part of a function's name: "malloc" also matches zmalloc, g_malloc0_n and
 * ztrymalloc_usable_internal. */
static const char *const words[] = {"*malloc*", "*calloc*", "*realloc*", "*memalign*", "*allocx",
                                    "*zalloc*", "*Malloc*", "*Calloc*",  "*Realloc*"};

/* Globs for whole names, without return type, template arguments and parameters. */
static const char *const names[] = {
    /* The C++ library, and functions in it that the compiler calls. */
    "std::*", "__gnu_cxx::*", "__cxxabiv1::*", "operator new", "operator new[]",
    "__cxa_allocate_exception", "__cxa_allocate_dependent_exception",
    /* Copies of strings and memory, which belong to the caller. */
    "*strdup", "*strndup", "*memdup", "*memdup2", "*asprintf",
    /* Pools. */
    "*palloc", "*palloc0", "g_slice_alloc*", "isc__mem_get*", "isc__mem_allocate*",
    "MemoryContextAlloc*", "AllocSetAlloc*", "ngx_*alloc*", "ngx_create_pool",
    /* Rust. */
    "__rust_*", "__rdl_*", "__rg_*", "__rustc::*"};

/* How names begin in Rust's library. In debug information as Valgrind reads it, an inlined function
 * has no namespace; there those that take an allocator, and some files, are recognised. */
static const char *const rust_names[] = {
    "alloc::", "core::",       "hashbrown::", "<alloc::", "<core::",
    "<std::",  "<hashbrown::", "<[",          "<&"};
static const char *const rust_files[] = {"alloc.rs", "raw_vec.rs", "boxed.rs", "spec_*.rs"};

/* Functions of the C++ library are often inlined, and debug information as Valgrind reads it then
 * has only the last part of their names. They are recognised by their header, of the GNU or the
 * LLVM C++ library, or by reserved names. */
static const char *const inlined_names[] = {"_M_*", "_S_*"};
static const char *const headers[] = {"new_allocator.h",
                                      "alloc_traits.h",
                                      "allocated_ptr.h",
                                      "allocator_traits.h",
                                      "stl_*.h",
                                      "basic_string.h",
                                      "basic_string.tcc",
                                      "cow_string.h",
                                      "vector.tcc",
                                      "deque.tcc",
                                      "list.tcc",
                                      "hashtable_policy.h",
                                      "unordered_map.h",
                                      "unordered_set.h",
                                      "unique_ptr.h",
                                      "shared_ptr.h",
                                      "shared_ptr_base.h",
                                      "std_function.h",
                                      "__split_buffer",
                                      "__tree",
                                      "__hash_table",
                                      "allocate_at_least.h",
                                      "new",
                                      "memory",
                                      "string",
                                      "vector",
                                      "map",
                                      "set",
                                      "list",
                                      "deque",
                                      "sstream",
                                      "functional"};

/* The part after the last "::". */
static const char *last_part(const char *name) {
  const char *last = name;
  for (const char *s = dmd_str_find(name, "::"); s != NULL; s = dmd_str_find(s + 2, "::"))
    last = s + 2;
  return last;
}

/* A name of C++ or C ends in parameters, or has no namespace. */
static bool is_rust(const char *function) {
  size_t n = dmd_str_length(function);
  return n > 0 && dmd_str_find_char(")]&", function[n - 1]) == NULL &&
         dmd_str_find(function, "::") != NULL && dmd_str_find(function, ") const") == NULL;
}

/* "<u8 as alloc::vec::Trait>::function": a function of the library for a type that belongs to no
 * crate. */
static bool is_basic_of_rust(const char *function) {
  const char *trait = dmd_str_find(function, " as "), *module = dmd_str_find(function, "::");
  return function[0] == '<' && trait != NULL && module != NULL && module > trait &&
         (dmd_str_begins(trait, " as alloc::") || dmd_str_begins(trait, " as core::"));
}

/* True for Rust's library, with code of which most stacks of allocations begin. */
static bool is_of_rust(const dmd_location_t *l, bool may_be_inlined) {
  bool has_name = is_basic_of_rust(l->function);
  for (size_t i = 0; i < LENGTH(rust_names) && !has_name; i++)
    has_name = dmd_str_begins(l->function, rust_names[i]);
  if (has_name)
    return is_rust(l->function);
  return may_be_inlined && (dmd_str_find(l->function, ", alloc::alloc::Global>") != NULL ||
                            matches_any(rust_files, LENGTH(rust_files), dmd_path_base(l->file)));
}

static bool is_named_so(const char *bare, const dmd_location_t *l) {
  bool may_be_inlined = l->offset == DMD_OFFSET_UNKNOWN && l->file != NULL;
  return matches_any(words, LENGTH(words), last_part(bare)) ||
         matches_any(names, LENGTH(names), bare) || is_of_rust(l, may_be_inlined) ||
         (may_be_inlined && (matches_any(inlined_names, LENGTH(inlined_names), bare) ||
                             matches_any(headers, LENGTH(headers), dmd_path_base(l->file))));
}

/* True if one of the user's patterns matches; bare is the function's bare name. */
static bool matches_view(const dmd_frame_view_t *view, const char *function, const char *bare) {
  dmd_fnname_t plain = dmd_fnname_plain(function, dmd_str_length(function));
  for (size_t i = 0; i < view->n_alloc_fns; i++) {
    const char *glob = view->alloc_fns[i];
    if (dmd_glob_matches_n(glob, plain.at, plain.n) || dmd_glob_matches(glob, bare) ||
        dmd_glob_matches(glob, function))
      return true;
  }
  return false;
}

dmd_allocates_t dmd_allocates_for_callers(const dmd_env_t *env, const dmd_location_t *l,
                                          const dmd_frame_view_t *view) {
  if (l->function == NULL || dmd_str_equal(l->function, "main"))
    return DMD_ALLOCATES_NOT;
  dmd_strbuf_t bare;
  dmd_strbuf_init(&bare, env);
  dmd_fnname_bare(&bare, l->function, dmd_str_length(l->function));
  dmd_allocates_t answer = matches_view(view, l->function, bare.text) ? DMD_ALLOCATES_BY_VIEW
                           : is_named_so(bare.text, l)                ? DMD_ALLOCATES_BY_NAME
                                                                      : DMD_ALLOCATES_NOT;
  dmd_strbuf_destroy(&bare);
  return answer;
}

/* ---- Objects. ---- */

static bool is_of_valgrind(const char *path) {
  return dmd_str_begins(dmd_path_base(path), "vgpreload_");
}

bool dmd_is_alloc_object(const char *path) {
  static const char *const globs[] = {
      "libc.so*",   "libc-?.*.so",  "ld-*.so*",     "ld.so*",       "libpthread*.so*",
      "libc.musl*", "ld-musl*",     "libjemalloc*", "libtcmalloc*", "libmimalloc*",
      "libhoard*",  "libsnmalloc*", "librpmalloc*", "libtbbmalloc*"};
  return is_of_valgrind(path) || matches_any(globs, LENGTH(globs), dmd_path_base(path));
}

/* ---- Frames. ---- */

/* How suitable a frame is as the one that allocated. */
enum { RANK_NONE, RANK_PLACE, RANK_NAMED, RANK_OWN };

/* What a function's name says: nothing, since there is none; that it allocates for callers; else.
 */
enum { NAME_NONE, NAME_WRAPPER, NAME_OTHER };

/* The cached verdict on a frame. */
typedef struct {
  bool is_known;
  bool allocates; /* its function allocates, judging by its name */
  uint8_t rank;
  uint8_t name; /* NAME_NONE etc. */
} judged_t;

void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile) {
  fns->profile = profile;
  dmd_pool_init(&fns->judged, profile->env, "dmd.allocfns", sizeof(judged_t));
}

void dmd_allocfns_destroy(dmd_allocfns_t *fns) {
  dmd_pool_destroy(&fns->judged);
}

static judged_t judge(const dmd_profile_t *profile, const dmd_location_t *l) {
  dmd_allocates_t for_callers = dmd_allocates_for_callers(profile->env, l, &profile->frame_view);
  judged_t judged = {.is_known = true,
                     .allocates =
                         dmd_is_alloc_fn(l->function) || for_callers == DMD_ALLOCATES_BY_VIEW,
                     .name = l->function == NULL ? NAME_NONE
                             : for_callers       ? NAME_WRAPPER
                                                 : NAME_OTHER};
  bool has_name = l->function != NULL && !for_callers;
  if (!for_callers && (l->object != NULL ? !dmd_is_alloc_object(l->object) : has_name))
    judged.rank = RANK_OWN;
  else if (has_name)
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
    *at = judge(fns->profile, &location);
  }
  return *at;
}

bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame) {
  return judged(fns, frame).allocates;
}

/* A function without a name, in a stripped object, whose caller allocates for others is a part of
 * that allocator: sqlite3Malloc of a stripped library calls a static function, which calls malloc.
 */
static bool is_part_of_wrapper(dmd_allocfns_t *fns, uint32_t frame, uint32_t caller) {
  const dmd_frames_t *all = &fns->profile->frames;
  if (judged(fns, frame).name != NAME_NONE || judged(fns, caller).name != NAME_WRAPPER)
    return false;
  const char *of_caller = dmd_frames_location(all, caller).object;
  return of_caller != NULL && dmd_str_equal(of_caller, dmd_frames_location(all, frame).object);
}

static uint8_t rank_in_stack(dmd_allocfns_t *fns, const uint32_t *frames, size_t n, size_t i) {
  uint8_t rank = judged(fns, frames[i]).rank;
  bool is_part = rank == RANK_OWN && i + 1 < n && is_part_of_wrapper(fns, frames[i], frames[i + 1]);
  return is_part ? RANK_PLACE : rank;
}

/* The first frame with the best rank. */
static size_t find_best(dmd_allocfns_t *fns, const uint32_t *frames, size_t n, uint8_t *rank) {
  size_t best = 0;
  *rank = RANK_NONE;
  for (size_t i = 0; i < n && *rank < RANK_OWN; i++) {
    uint8_t here = rank_in_stack(fns, frames, n, i);
    if (here > *rank) {
      best = i;
      *rank = here;
    }
  }
  return best;
}

size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n) {
  uint8_t rank;
  return find_best(fns, frames, n, &rank);
}

bool dmd_has_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n) {
  uint8_t rank;
  find_best(fns, frames, n, &rank);
  return rank == RANK_OWN;
}
