/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "preload/pl_real.h"

#include "preload/pl_message.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

pl_real_t g_real;

/* ---- Early memory. ---- */

enum { EARLY_SZB = 64 * 1024, LEAST_ALIGNB = 16 };

static struct {
  _Alignas(LEAST_ALIGNB) char bytes[EARLY_SZB];
  size_t used;
} g_early;

/* In front of each of its blocks. */
typedef struct {
  size_t szB;
  size_t padding;
} early_t;

void *pl_early_alloc(size_t alignB, size_t szB) {
  uintptr_t from = (uintptr_t)g_early.bytes + g_early.used + sizeof(early_t);
  if (alignB < LEAST_ALIGNB)
    alignB = LEAST_ALIGNB;
  uintptr_t at = (from + alignB - 1) & ~(uintptr_t)(alignB - 1);
  size_t before = at - (uintptr_t)g_early.bytes;
  if (before > EARLY_SZB || szB > EARLY_SZB - before)
    pl_die("the loader allocates more than is there for it before the allocator is known");
  g_early.used = before + szB;
  ((early_t *)at)[-1].szB = szB;
  return (void *)at;
}

bool pl_early_has(const void *p) {
  return (uintptr_t)p - (uintptr_t)g_early.bytes < EARLY_SZB;
}

size_t pl_early_size(const void *p) {
  return ((const early_t *)p)[-1].szB;
}

/* ---- The functions. ---- */

/* The way from a pointer to an object to one to a function that POSIX has for dlsym. */
#define FIND(name) *(void **)&found.name = dlsym(RTLD_NEXT, #name)

void pl_real_find(void) {
  static bool is_finding;
  pl_real_t found;
  if (is_finding)
    return;
  is_finding = true;
  FIND(malloc);
  FIND(calloc);
  FIND(realloc);
  FIND(reallocarray);
  FIND(free);
  FIND(free_sized);
  FIND(free_aligned_sized);
  FIND(posix_memalign);
  FIND(aligned_alloc);
  FIND(memalign);
  FIND(valloc);
  FIND(pvalloc);
  FIND(malloc_usable_size);
  FIND(pthread_create);
  FIND(dlclose);
  FIND(_exit);
  if (found.malloc == NULL || found.calloc == NULL || found.realloc == NULL || found.free == NULL ||
      found.malloc_usable_size == NULL)
    pl_die("the program has no allocator whose functions could be found");
  g_real = found;
  is_finding = false;
}

const char *pl_real_allocator(void) {
  Dl_info info;
  return dladdr(*(void **)&g_real.malloc, &info) != 0 ? info.dli_fname : "";
}

void pl_real_exit_now(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}
