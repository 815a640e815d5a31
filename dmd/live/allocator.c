/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/allocator.h"

const char *dmd_allocator_name(dmd_allocator_t allocator) {
  static const char *const names[DMD_N_ALLOCATORS] = {"glibc", "exact"};
  return names[allocator];
}

/* malloc/malloc.c of the GNU C library: a chunk is the request plus one word (the size field; the
 * next chunk's first word is the user's too), rounded up to 16 bytes and at least four words. From
 * the mmap threshold on a chunk is a mapping of its own, whole pages, of which two words are not
 * the user's. */
static uint64_t glibc_usable(uint64_t word_szB, uint64_t req) {
  enum { ALIGN = 16, PAGE = 4096, MMAP_THRESHOLD = 128 * 1024 };
  if (req > UINT64_MAX - 2 * PAGE)
    return req;
  uint64_t chunk = (req + word_szB + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
  uint64_t smallest = word_szB * 4;
  if (chunk < smallest)
    chunk = smallest;
  if (chunk < MMAP_THRESHOLD)
    return chunk - word_szB;
  return ((chunk + word_szB + PAGE - 1) & ~(uint64_t)(PAGE - 1)) - 2 * word_szB;
}

uint64_t dmd_allocator_usable(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req) {
  return allocator == DMD_ALLOCATOR_GLIBC ? glibc_usable(word_szB, req) : req;
}
