/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocator.h: what usable size the program's real allocator would give.
 *
 * Under a tool every block comes from the tool's own arena, whose rounding says nothing about the
 * slop that the program has in production. A model computes the usable size of a request in a real
 * allocator; the tool reserves that much and answers malloc_usable_size with it.
 *
 * A model is a pure function of the request. Most real allocators are too: of a size class, or of
 * whole pages. Where the real size also depends on what else is in the heap, the model gives the
 * least that it can be; allocator.c says where that is. Every rule was tested against the real
 * library, see tests/tool/programs/real_allocator.c, for 64-bit programs. In 32-bit programs glibc
 * and exact are right; the others are computed as for 64 bits.
 *
 * Sizes and alignments are bytes. Cost: a few instructions; for tcmalloc, whose classes come out of
 * a search, some divisions.
 *
 * Concurrency: there is no state; any thread at any time.
 */
#ifndef DMD_LIVE_ALLOCATOR_H
#define DMD_LIVE_ALLOCATOR_H

#include <stdint.h>

typedef enum {
  DMD_ALLOCATOR_GLIBC,       /* GNU C library 2.26 and later, its thresholds as at start-up */
  DMD_ALLOCATOR_EXACT,       /* no slop: what was requested */
  DMD_ALLOCATOR_JEMALLOC,    /* 5, with pages of 4 KiB */
  DMD_ALLOCATOR_MOZJEMALLOC, /* as in Firefox, on Linux with pages of 4 KiB */
  DMD_ALLOCATOR_TCMALLOC,    /* that of gperftools, with its pages of 8 KiB */
  DMD_ALLOCATOR_MIMALLOC,    /* 2.0 */
  DMD_N_ALLOCATORS
} dmd_allocator_t;

/* The model's name in options and files, e.g. "glibc". */
const char *dmd_allocator_name(dmd_allocator_t allocator);

/* The usable bytes that a request of req bytes gets, in a program whose words have word_szB (4 or
 * 8) bytes. align is a power of two, what memalign and its kin ask for; 1 for malloc. At least req;
 * req itself where the model's sum would overflow. */
uint64_t dmd_allocator_usable(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req,
                              uint64_t align);

/* The usable bytes after realloc of a block that has old_usable to req bytes, req > 0, whether or
 * not it moves: some allocators leave a block that shrinks as it is, and some let one grow by more
 * than was asked for. At least req. */
uint64_t dmd_allocator_resized(dmd_allocator_t allocator, uint64_t word_szB, uint64_t old_usable,
                               uint64_t req);

/* The usable bytes after xallocx of a block that has old_usable and lies in room bytes: as near to
 * most as can be, but old_usable where that does for no fewer than least. least and most are usable
 * sizes. Only jemalloc has this function, so that there is one rule for all. */
uint64_t dmd_allocator_resized_in_place(uint64_t old_usable, uint64_t least, uint64_t most,
                                        uint64_t room);

/* What an aligned operator new asks memalign for, where the C++ library's rounds up to the
 * alignment: that of GCC did so up to GCC 12. Allocators that come with operators of their own do
 * not. */
uint64_t dmd_allocator_new_request(dmd_allocator_t allocator, uint64_t req, uint64_t align);

#endif
