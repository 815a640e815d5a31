/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replacements for allocation functions beside those of pl_malloc.c.
 *
 * C++'s operators new and delete: the C++ library's call malloc and free, which are ours, so they
 * are passed through, and their caller shows up on the stack of that call. Some allocators bring
 * operators of their own that do not call malloc. An operator in the same object as the program's
 * malloc is recorded like malloc itself. A library that is loaded later may bring the C++ library
 * with it, out of sight of the others; it is looked for when one of its operators is called.
 *
 * jemalloc's own functions (jemalloc(3)): if the program's allocator lacks them, ours are never
 * called in practice and fail as if out of memory.
 *
 * glibc's functions under their internal names, __libc_malloc and so on: programs that wrap the C
 * library's malloc in their own call these. They are recorded if the program's allocator is the C
 * library's. If another allocator is built on them, that allocator is recorded instead and its
 * calls here pass through unrecorded.
 */
#define _GNU_SOURCE
#include "native/pl_kernel.h"
#include "native/pl_malloc.h"
#include "native/pl_real.h"

#include <dlfcn.h>
#include <unistd.h>

/* ---- The program's operators ---- */

/* Finds operators of a C++ library that was loaded later. */
static void find_later(unsigned form) {
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
  for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
      g_operators[form].function = dlsym(library, pl_operator_symbol(form));
    if (g_operators[form].function != NULL)
      return;
  }
  pl_die("the program calls an operator new or delete of a C++ library that cannot be found");
}

static void *program_s(unsigned form) {
  if (__builtin_expect(g_operators[form].function == NULL, 0)) {
    if (!pl_real_is_found())
      pl_real_find();
    find_later(form);
  }
  return g_operators[form].function;
}

/* ---- Our operators. Calls that pass through leave no frame of ours on the stack. ---- */

#define OPERATOR __attribute__((noinline, used)) static

#define OURS_NEW(form, parameters, arguments, symbol, name)                                        \
  typedef void *(*fn_##form)parameters;                                                            \
  static void *call_##form(pl_entry_t entry, void *p, size_t szB) {                                \
    return p == NULL ? NULL : pl_record_new(&entry, p, szB);                                       \
  }                                                                                                \
  OPERATOR void *ours_##form parameters;                                                           \
  PL_FUNCTION(form, ours_##form, name)                                                             \
  OPERATOR void *ours_##form parameters {                                                          \
    fn_##form function = (fn_##form)program_s(PL_FORM_##form);                                     \
    if (!g_operators[PL_FORM_##form].is_recorded)                                                  \
      return function arguments;                                                                   \
    return call_##form(PL_ENTRY(form), function arguments, szB);                                   \
  }                                                                                                \
  __attribute__((alias("ours_" #form), visibility("default"))) void *pl_##form parameters __asm__( \
      symbol);

#define OURS_DELETE(form, parameters, arguments, symbol, name)                                     \
  typedef void(*fn_##form) parameters;                                                             \
  static bool call_##form(pl_entry_t entry, void *p) {                                             \
    return p == NULL || pl_record_free(&entry, p);                                                 \
  }                                                                                                \
  OPERATOR void ours_##form parameters;                                                            \
  PL_FUNCTION(form, ours_##form, name)                                                             \
  OPERATOR void ours_##form parameters {                                                           \
    fn_##form function = (fn_##form)program_s(PL_FORM_##form);                                     \
    if (!g_operators[PL_FORM_##form].is_recorded || call_##form(PL_ENTRY(form), p))                \
      function arguments;                                                                          \
  }                                                                                                \
  __attribute__((alias("ours_" #form), visibility("default"))) void pl_##form parameters __asm__(  \
      symbol);

PL_NEWS(OURS_NEW)
PL_DELETES(OURS_DELETE)

/* ---- jemalloc ---- */

enum { ZEROED = 0x40 }; /* MALLOCX_ZERO */

PL_REPLACE(void *, mallocx, (size_t szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(mallocx);
  if (g_real.mallocx == NULL)
    return NULL;
  void *p = g_real.mallocx(szB, flags);
  return (flags & ZEROED) != 0 ? pl_record_alloc(&entry, p, szB) : pl_record_new(&entry, p, szB);
}

PL_REPLACE(void *, rallocx, (void *p, size_t szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(rallocx);
  pl_moving_t moving;
  if (g_real.rallocx == NULL)
    return NULL;
  if (!pl_record_realloc_begin(&entry, p, szB, &moving))
    return NULL;
  bool fills = g_options.fill && (flags & ZEROED) == 0;
  size_t kept_szB = fills ? g_real.malloc_usable_size(p) : 0;
  void *now = g_real.rallocx(p, szB, flags);
  pl_record_realloc_end(&entry, &moving, now, szB);
  if (fills)
    pl_fill(now, kept_szB);
  return now;
}

/* The block stays where it is. If its size changed it is recorded again, with as much of the extra
 * size as fits. */
PL_REPLACE(size_t, xallocx, (void *p, size_t szB, size_t extra_szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(xallocx);
  if (g_real.xallocx == NULL)
    return 0;
  size_t before_szB = g_real.malloc_usable_size(p), most_szB;
  size_t now_szB = g_real.xallocx(p, szB, extra_szB, flags);
  if (g_options.fill && (flags & ZEROED) == 0)
    pl_fill(p, before_szB);
  if (__builtin_add_overflow(szB, extra_szB, &most_szB))
    most_szB = SIZE_MAX;
  if (now_szB != before_szB && now_szB >= szB) {
    pl_moving_t moving;
    if (pl_record_realloc_begin(&entry, p, szB, &moving))
      pl_record_realloc_end(&entry, &moving, p, most_szB < now_szB ? most_szB : now_szB);
  }
  return now_szB;
}

PL_REPLACE(void, dallocx, (void *p, int flags)) {
  pl_entry_t entry = PL_ENTRY(dallocx);
  if (g_real.dallocx == NULL)
    return;
  if (pl_record_free(&entry, p))
    g_real.dallocx(p, flags);
}

PL_REPLACE(void, sdallocx, (void *p, size_t szB, int flags)) {
  pl_entry_t entry = PL_ENTRY(sdallocx);
  if (g_real.sdallocx == NULL)
    return;
  if (pl_record_free(&entry, p))
    g_real.sdallocx(p, szB, flags);
}

/* ---- glibc's internal names ---- */

#define REPLACED __attribute__((visibility("default")))

/* dlsym allocates. If the program's malloc is built on these functions, that call arrives here. */
static bool is_early(void) {
  if (!pl_real_is_found())
    pl_real_find();
  return !pl_real_is_found();
}

static void *told(const pl_entry_t *entry, void *p, size_t szB) {
  return pl_real_is_libc() ? pl_record_new(entry, p, szB) : p;
}

REPLACED void *__libc_malloc(size_t szB);
REPLACED void *__libc_calloc(size_t n, size_t szB);
REPLACED void *__libc_realloc(void *p, size_t szB);
REPLACED void *__libc_memalign(size_t alignB, size_t szB);
REPLACED void *__libc_valloc(size_t szB);
REPLACED void *__libc_pvalloc(size_t szB);
REPLACED void __libc_free(void *p);

void *__libc_malloc(size_t szB) {
  pl_entry_t entry = PL_ENTRY(malloc);
  if (is_early())
    return pl_early_alloc(1, szB);
  return told(&entry, g_real.__libc_malloc(szB), szB);
}

/* If the product overflows, the C library's calloc fails. */
void *__libc_calloc(size_t n, size_t szB) {
  pl_entry_t entry = PL_ENTRY(calloc);
  if (is_early())
    return pl_early_alloc(1, n * szB);
  void *p = g_real.__libc_calloc(n, szB);
  return pl_real_is_libc() ? pl_record_alloc(&entry, p, n * szB) : p;
}

void *__libc_memalign(size_t alignB, size_t szB) {
  pl_entry_t entry = PL_ENTRY(memalign);
  if (is_early())
    return pl_early_alloc(alignB, szB);
  return told(&entry, g_real.__libc_memalign(alignB, szB), szB);
}

void *__libc_valloc(size_t szB) {
  pl_entry_t entry = PL_ENTRY(valloc);
  if (is_early())
    return pl_early_alloc((size_t)sysconf(_SC_PAGESIZE), szB);
  return told(&entry, g_real.__libc_valloc(szB), szB);
}

void *__libc_pvalloc(size_t szB) {
  pl_entry_t entry = PL_ENTRY(pvalloc);
  if (is_early())
    return pl_early_alloc((size_t)sysconf(_SC_PAGESIZE), szB);
  return told(&entry, g_real.__libc_pvalloc(szB), pl_whole_pages(szB));
}

void *__libc_realloc(void *p, size_t szB) {
  pl_entry_t entry = PL_ENTRY(realloc);
  return pl_real_is_libc() || is_early() || pl_early_has(p) ? pl_resize(&entry, p, szB)
                                                            : g_real.__libc_realloc(p, szB);
}

void __libc_free(void *p) {
  pl_entry_t entry = PL_ENTRY(free);
  if (p != NULL && !pl_early_has(p) && !is_early() &&
      (!pl_real_is_libc() || pl_record_free(&entry, p)))
    g_real.__libc_free(p);
}
