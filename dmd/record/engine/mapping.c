/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/mapping.h"

#include "base/path.h"
#include "base/str.h"
#include "record/heap/interleave.h"

/* The kernel maps whole pages. */
static uint64_t page_end(uint64_t addr, uint64_t szB) {
  uint64_t end = addr + szB < addr ? UINT64_MAX - DMD_PAGE_SZB : addr + szB;
  return (end + DMD_PAGE_SZB - 1) & ~(uint64_t)(DMD_PAGE_SZB - 1);
}

static bool is_loader(const char *soname) {
  return dmd_str_begins(soname, "ld-linux") || dmd_str_begins(soname, "ld-musl");
}

/* Libraries that map for their own purposes, also when they are loaded. */
static bool is_library_that_maps(const char *soname) {
  static const char *const names[] = {"libc.", "libjemalloc", "libmimalloc", "libtcmalloc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (dmd_str_begins(soname, names[i]))
      return true;
  return is_loader(soname);
}

/* Whether a frame is of the functions that replace the allocator's. The outermost frames of a
 * thread are the native engine's, too. */
static bool is_allocator(const dmd_object_t *object, uint32_t n_outer) {
  enum { THREAD_FRAMES = 3 };
  return object->is_engine ||
         (n_outer > THREAD_FRAMES && dmd_str_begins(dmd_path_base(object->path), "libdmd.so"));
}

/* The number of the last frame of those that begin the stack and are the C library's: sbrk calls
 * brk. */
static uint32_t last_of_libc(const dmd_engine_t *engine, const dmd_code_t *codes, uint32_t n) {
  const dmd_engine_host_t *host = engine->host;
  dmd_object_t object;
  uint32_t i = 0;
  while (i < n && host->object(host->ctx, codes[i], &object) &&
         dmd_str_begins(object.soname, "libc."))
    i++;
  return i == 0 ? 0 : i - 1;
}

/* Frame 0 is the function that maps; under Valgrind it is in the C library. */
static bool is_programs(const dmd_engine_t *engine, uint32_t stack, bool is_break) {
  const dmd_engine_host_t *host = engine->host;
  uint32_t n;
  const dmd_code_t *codes = host->codes(host->ctx, stack, &n);
  dmd_object_t object;
  if (is_break) {
    uint32_t n_libc = last_of_libc(engine, codes, n);
    codes += n_libc;
    n -= n_libc;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!host->object(host->ctx, codes[i], &object))
      continue;
    if (i > 0 && is_allocator(&object, n - i))
      return false;
    if (i == 0 && is_loader(object.soname))
      return false;
    if (i == 1 && is_library_that_maps(object.soname))
      return false;
  }
  return true;
}

static void map(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB, bool is_break) {
  uint32_t stack = dmd_engine_capture(engine, thread);
  uint64_t end = is_break ? addr + szB : page_end(addr, szB);
  dmd_regions_remove(&engine->live.regions, addr, end);
  if (is_programs(engine, stack, is_break))
    dmd_regions_add(&engine->live.regions, addr, end, stack);
}

void dmd_engine_map(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB) {
  map(engine, thread, addr, szB, false);
}

void dmd_engine_map_break(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB) {
  map(engine, thread, addr, szB, true);
}

void dmd_engine_map_stack(dmd_engine_t *engine, uint32_t thread, uint64_t high, uint64_t szB,
                          uint32_t stack) {
  uint64_t end = page_end(high, 0);
  dmd_regions_add_stack(&engine->live.regions, end - szB, end, stack, thread);
}

void dmd_engine_unmap(dmd_engine_t *engine, uint64_t addr, uint64_t szB) {
  dmd_regions_remove(&engine->live.regions, addr, page_end(addr, szB));
}

void dmd_engine_remap(dmd_engine_t *engine, uint64_t from, uint64_t to, uint64_t szB) {
  dmd_regions_move(&engine->live.regions, from, to, page_end(0, szB));
}

uint64_t dmd_engine_report_mapped(dmd_engine_t *engine, uint32_t thread, uint64_t addr,
                                  uint64_t szB) {
  uint32_t stack = dmd_engine_capture(engine, thread);
  return dmd_live_report_mapped(&engine->live, thread, addr, page_end(addr, szB), szB, stack);
}
