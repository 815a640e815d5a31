/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that the program maps: mmap, munmap, mremap, brk and sbrk.
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
#include <unistd.h>

static bool is_found(void) {
  if (__builtin_expect(g_real.mmap == NULL, 0))
    pl_real_find();
  return g_real.mmap != NULL && g_real.munmap != NULL && g_real.mremap != NULL &&
         g_real.brk != NULL && g_real.sbrk != NULL;
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

static void record_moved(pl_thread_t *thread, const char *old, size_t old_szB, const char *p,
                         size_t szB) {
  if (p != old)
    dmd_engine_remap(&g_engine, (uintptr_t)old, (uintptr_t)p, old_szB < szB ? old_szB : szB);
  if (szB < old_szB)
    dmd_engine_unmap(&g_engine, (uintptr_t)old + szB, old_szB - szB);
  else if (szB > old_szB)
    dmd_engine_map(&g_engine, thread->number, (uintptr_t)p + old_szB, szB - old_szB);
}

/* Under the lock: another thread may map something where this mapping was, but its record waits
 * until this one is complete. */
PL_REPLACE(void *, mremap, (void *old, size_t old_szB, size_t szB, int flags, ...)) {
  pl_entry_t entry = PL_ENTRY(mremap);
  pl_thread_t *thread = pl_thread();
  void *wanted = NULL;
  if (flags & MREMAP_FIXED) {
    va_list more;
    va_start(more, flags);
    wanted = va_arg(more, void *);
    va_end(more);
  }
  if (!is_found())
    return fail();
  if (!pl_enter(thread, &entry))
    return g_real.mremap(old, old_szB, szB, flags, wanted);
  pl_lock_with_stack(thread);
  void *p = g_real.mremap(old, old_szB, szB, flags, wanted);
  int error = errno;
  if (p != MAP_FAILED)
    record_moved(thread, old, old_szB, p, szB);
  pl_unlock(thread);
  pl_leave(thread);
  if (p == MAP_FAILED)
    errno = error;
  return p;
}

static void record_break(const pl_entry_t *entry, const char *before, const char *after) {
  if (after < before)
    record_unmapped(after, (size_t)(before - after));
  pl_thread_t *thread = pl_thread();
  if (after <= before || !pl_enter(thread, entry))
    return;
  pl_lock_with_stack(thread);
  dmd_engine_map_break(&g_engine, thread->number, (uintptr_t)before, (size_t)(after - before));
  pl_unlock(thread);
  pl_leave(thread);
}

/* malloc moves the break by a function of the C library's own. */
PL_REPLACE(int, brk, (void *end)) {
  pl_entry_t entry = PL_ENTRY(brk);
  if (!is_found()) {
    errno = ENOMEM;
    return -1;
  }
  void *before = g_real.sbrk(0);
  int status = g_real.brk(end);
  if (status == 0)
    record_break(&entry, before, end);
  return status;
}

PL_REPLACE(void *, sbrk, (intptr_t szB)) {
  pl_entry_t entry = PL_ENTRY(sbrk);
  void *before = is_found() ? g_real.sbrk(szB) : fail();
  if (before != MAP_FAILED && szB != 0)
    record_break(&entry, before, (char *)before + szB);
  return before;
}
