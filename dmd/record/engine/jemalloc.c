/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/jemalloc.h"

#include "record/engine/allocation.h"

enum { LG_ALIGN = 0x3f, ZERO = 0x40 };

static dmd_wanted_t read_flags(uint64_t szB, uint32_t flags) {
  return (dmd_wanted_t){
      .szB = szB, .alignB = UINT64_C(1) << (flags & LG_ALIGN), .zeroed = (flags & ZERO) != 0};
}

uint64_t dmd_engine_mallocx(dmd_engine_t *engine, uint32_t thread, uint64_t szB, uint32_t flags) {
  return dmd_engine_allocate(engine, thread, read_flags(szB, flags));
}

uint64_t dmd_engine_rallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint32_t flags) {
  return dmd_engine_reallocate(engine, thread, addr, read_flags(szB, flags));
}

uint64_t dmd_engine_xallocx(dmd_engine_t *engine, uint32_t thread, uint64_t addr, uint64_t szB,
                            uint64_t extra_szB, uint32_t flags) {
  return dmd_engine_resize_in_place(engine, thread, addr, read_flags(szB, flags), extra_szB);
}

uint64_t dmd_engine_nallocx(dmd_engine_t *engine, uint64_t szB, uint32_t flags) {
  dmd_wanted_t wanted = read_flags(szB, flags);
  if ((wanted.szB | wanted.alignB) >> (engine->host->word_szB * 8 - 2) != 0)
    return 0;
  return dmd_engine_usable_of(engine, wanted.szB, wanted.alignB);
}
