/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/prefixed.h"

#include "base/mem.h"
#include "base/str.h"

/* Functions that native/pl_prefixed.c replaces, without their prefix. */
static const char *const jemalloc_allocates[] = {
    "malloc",         "mallocx",       "calloc",   "realloc", "rallocx",
    "posix_memalign", "aligned_alloc", "memalign", "valloc",  NULL};
static const char *const jemalloc_has[] = {
    "free",    "dallocx", "sdallocx",           "free_sized", "free_aligned_sized",
    "xallocx", "sallocx", "malloc_usable_size", "nallocx",    NULL};
static const char *const mimalloc_allocates[] = {"malloc",   "malloc_aligned",   "malloc_small",
                                                 "mallocn",  "zalloc",           "zalloc_aligned",
                                                 "calloc",   "calloc_aligned",   "zalloc_small",
                                                 "realloc",  "reallocn",         "realloc_aligned",
                                                 "rezalloc", "rezalloc_aligned", "posix_memalign",
                                                 "memalign", "aligned_alloc",    NULL};
static const char *const mimalloc_has[] = {"free",
                                           "cfree",
                                           "free_size",
                                           "free_aligned",
                                           "free_size_aligned",
                                           "usable_size",
                                           "malloc_size",
                                           "malloc_usable_size",
                                           NULL};

/* Globs for functions that hand out, resize or free blocks, and have no replacement. mimalloc can
 * free all blocks of a heap at once; only programs with heaps of their own have mi_heap_new. */
static const char *const jemalloc_lacks[] = {"pvalloc", "smallocx_*", "batch_alloc*", NULL};
static const char *const mimalloc_lacks[] = {"heap_new*",
                                             "new",
                                             "new_*",
                                             "expand",
                                             "strdup",
                                             "strndup",
                                             "realpath",
                                             "mbsdup",
                                             "wcsdup",
                                             "dupenv_s",
                                             "wdupenv_s",
                                             "recalloc*",
                                             "reallocf",
                                             "aligned_recalloc",
                                             "aligned_offset_recalloc",
                                             "reallocarr",
                                             "valloc",
                                             "pvalloc",
                                             "reallocarray",
                                             "malloc_aligned_at",
                                             "zalloc_aligned_at",
                                             "calloc_aligned_at",
                                             "realloc_aligned_at",
                                             "rezalloc_aligned_at",
                                             NULL};

static const struct {
  const char *prefix;
  const char *const *allocates, *const *has, *const *lacks;
} allocators[DMD_PREFIXED_ALLOCATORS] = {
    {"_rjem_", jemalloc_allocates, jemalloc_has, jemalloc_lacks},
    {"je_", jemalloc_allocates, jemalloc_has, jemalloc_lacks},
    {"mi_", mimalloc_allocates, mimalloc_has, mimalloc_lacks},
};

static bool is_among(const char *const *globs, const char *name) {
  while (*globs != NULL && !dmd_glob_matches(*globs, name))
    globs++;
  return *globs != NULL;
}

static void copy_name(char to[DMD_PREFIXED_NAME], const char *name) {
  size_t n = dmd_str_length(name);
  n = n < DMD_PREFIXED_NAME ? n : DMD_PREFIXED_NAME - 1;
  dmd_mem_copy(to, name, n);
  to[n] = '\0';
}

static void add_function(dmd_prefixed_t *found, const dmd_prefixed_function_t *function) {
  if (found->n < DMD_PREFIXED_MAX)
    found->function[found->n++] = *function;
  else
    found->is_full = true;
}

void dmd_prefixed_add(dmd_prefixed_t *found, const char *name, uint64_t addr, uint64_t szB) {
  found->has_malloc |= dmd_str_equal(name, "malloc");
  for (uint32_t i = 0; i < DMD_PREFIXED_ALLOCATORS; i++) {
    if (!dmd_str_begins(name, allocators[i].prefix))
      continue;
    const char *rest = name + dmd_str_length(allocators[i].prefix);
    if (is_among(allocators[i].allocates, rest) || is_among(allocators[i].has, rest)) {
      dmd_prefixed_function_t function = {.addr = addr, .szB = szB, .allocator = i};
      copy_name(function.name, name);
      add_function(found, &function);
    } else if (is_among(allocators[i].lacks, rest)) {
      copy_name(found->unknown[i], name);
    }
  }
}

/* The first in the order of the list, which begins with the one that people know. */
const char *dmd_prefixed_name(const dmd_prefixed_t *found, uint32_t allocator) {
  size_t prefix = dmd_str_length(allocators[allocator].prefix);
  for (const char *const *name = allocators[allocator].allocates; *name != NULL; name++)
    for (uint32_t i = 0; i < found->n; i++)
      if (found->function[i].allocator == allocator &&
          dmd_str_equal(found->function[i].name + prefix, *name))
        return found->function[i].name;
  return NULL;
}

static bool say(dmd_strbuf_t *why, const char *before, const char *name, const char *after) {
  dmd_strbuf_str(why, before);
  dmd_strbuf_str(why, name);
  dmd_strbuf_str(why, after);
  return false;
}

/* Each function has its own code, with room for a jump. */
static bool check_function(const dmd_prefixed_t *found, const dmd_prefixed_function_t *function,
                           uint64_t jump_szB, dmd_strbuf_t *why) {
  if (function->szB < jump_szB)
    return say(why, "its function ", function->name, " is too short for a jump");
  for (uint32_t i = 0; i < found->n; i++) {
    const dmd_prefixed_function_t *other = &found->function[i];
    bool is_same = other == function ||
                   (other->addr == function->addr && dmd_str_equal(other->name, function->name));
    if (!is_same && other->addr - function->addr < jump_szB)
      return say(why, "its function ", function->name, " has the code of another one");
  }
  return true;
}

bool dmd_prefixed_check(const dmd_prefixed_t *found, uint32_t allocator, uint64_t jump_szB,
                        dmd_strbuf_t *why) {
  if (found->has_malloc)
    return say(why, "the same file defines malloc", "", "");
  if (found->is_full)
    return say(why, "it has too many functions", "", "");
  if (found->unknown[allocator][0] != '\0')
    return say(why, "dmd does not know its function ", found->unknown[allocator], "");
  for (uint32_t i = 0; i < found->n; i++)
    if (found->function[i].allocator == allocator &&
        !check_function(found, &found->function[i], jump_szB, why))
      return false;
  return true;
}
