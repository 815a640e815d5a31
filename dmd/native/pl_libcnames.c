/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glibc's allocation functions under their internal names, __libc_malloc and so on.
 *
 * Programs that wrap the C library's malloc in their own call these. They are recorded if the
 * program's allocator is the C library's. If another allocator is built on them, that allocator is
 * recorded instead and its calls here pass through unrecorded.
 */

#include "native/pl_malloc.h"
#include "native/pl_real.h"

#include <unistd.h>

#define OURS __attribute__((visibility("default")))

/* dlsym allocates. If the program's malloc is built on these functions, that call arrives here. */
static bool is_early(void) {
  if (!pl_real_is_found())
    pl_real_find();
  return !pl_real_is_found();
}

static void *told(const pl_entry_t *entry, void *p, size_t szB) {
  return pl_real_is_libc() ? pl_record_alloc(entry, p, szB) : p;
}

OURS void *__libc_malloc(size_t szB);
OURS void *__libc_calloc(size_t n, size_t szB);
OURS void *__libc_realloc(void *p, size_t szB);
OURS void *__libc_memalign(size_t alignB, size_t szB);
OURS void *__libc_valloc(size_t szB);
OURS void *__libc_pvalloc(size_t szB);
OURS void __libc_free(void *p);

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
  return told(&entry, g_real.__libc_calloc(n, szB), n * szB);
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
