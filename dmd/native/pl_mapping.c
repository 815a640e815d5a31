/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that the program maps: mmap, munmap and mremap.
 *
 * The C library and the loader call functions of their own, which are not seen; calls of an
 * allocator are recognised by their stacks (record/engine/mapping.h). The engine's own calls come
 * here, too, and pass through, since it is inside or has not started.
 */
#define _GNU_SOURCE
#include "native/pl_enter.h"
#include "native/pl_main.h"
#include "record/engine/mapping.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

static bool is_found(void) {
  if (__builtin_expect(g_real.mmap == NULL, 0))
    pl_real_find();
  return g_real.mmap != NULL && g_real.munmap != NULL && g_real.mremap != NULL;
}

/* Nothing is known of memory that is mapped before the C library's functions are found. */
static void *fail(void) {
  errno = ENOMEM;
  return MAP_FAILED;
}

static void record_mapped(const pl_entry_t *entry, void *p, size_t szB) {
  pl_thread_t *thread = pl_thread();
  if (!pl_enter(thread, entry))
    return;
  pl_lock_with_stack(thread);
  dmd_engine_map(&g_engine, thread->number, (uintptr_t)p, szB);
  pl_unlock(thread);
  pl_leave(thread);
}

static void record_unmapped(const void *p, size_t szB) {
  pl_thread_t *thread = pl_thread();
  if (!pl_enter(thread, NULL))
    return;
  pl_lock();
  dmd_engine_unmap(&g_engine, (uintptr_t)p, szB);
  pl_unlock(thread);
  pl_leave(thread);
}

static void record_moved(const void *from, const void *to, size_t szB) {
  pl_thread_t *thread = pl_thread();
  if (!pl_enter(thread, NULL))
    return;
  pl_lock();
  dmd_engine_remap(&g_engine, (uintptr_t)from, (uintptr_t)to, szB);
  pl_unlock(thread);
  pl_leave(thread);
}

static inline __attribute__((always_inline)) void *
map(const pl_entry_t *entry, void *addr, size_t szB, int protection, int flags, int fd, off_t at) {
  void *p = is_found() ? g_real.mmap(addr, szB, protection, flags, fd, at) : fail();
  if (p != MAP_FAILED && protection != PROT_NONE)
    record_mapped(entry, p, szB);
  return p;
}

PL_REPLACE(void *, mmap, (void *addr, size_t szB, int protection, int flags, int fd, off_t at)) {
  pl_entry_t entry = PL_ENTRY(mmap);
  return map(&entry, addr, szB, protection, flags, fd, at);
}

PL_REPLACE(void *, mmap64, (void *addr, size_t szB, int protection, int flags, int fd, off_t at)) {
  pl_entry_t entry = PL_ENTRY(mmap64);
  return map(&entry, addr, szB, protection, flags, fd, at);
}

/* Recorded first: afterwards another thread may have mapped something there. */
PL_REPLACE(int, munmap, (void *p, size_t szB)) {
  if (!is_found()) {
    errno = ENOMEM;
    return -1;
  }
  record_unmapped(p, szB);
  return g_real.munmap(p, szB);
}

PL_REPLACE(void *, mremap, (void *old, size_t old_szB, size_t szB, int flags, ...)) {
  pl_entry_t entry = PL_ENTRY(mremap);
  void *wanted = NULL;
  if (flags & MREMAP_FIXED) {
    va_list more;
    va_start(more, flags);
    wanted = va_arg(more, void *);
    va_end(more);
  }
  void *p = is_found() ? g_real.mremap(old, old_szB, szB, flags, wanted) : fail();
  if (p == MAP_FAILED)
    return p;
  size_t kept_szB = old_szB < szB ? old_szB : szB;
  if (p != old)
    record_moved(old, p, kept_szB);
  if (szB < old_szB)
    record_unmapped((char *)old + szB, old_szB - szB);
  else if (szB > old_szB)
    record_mapped(&entry, (char *)p + old_szB, szB - old_szB);
  return p;
}
