/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocator.h: models of the usable size that the program's real allocator would give.
 *
 * Under the tool every block comes from the tool's own arena, whose rounding says nothing about
 * slop in production. A model computes the usable size that a real allocator would give; the tool
 * reserves that much and returns it from malloc_usable_size.
 *
 * A model is a pure function of the request: it has no state and may be called from any thread.
 * Most real allocators work this way (size classes or whole pages). Where the real size also
 * depends on the rest of the heap, the model gives the minimum; allocator.c says where.
 * tests/tool/programs/real_allocator.c checks every rule against the real library in 64-bit
 * programs. For 32-bit programs glibc and exact are right, and the others are computed as for 64
 * bits.
 *
 * Sizes and alignments are in bytes. Cost: a few instructions; some divisions for tcmalloc, whose
 * classes are found by a search.
 */
#ifndef DMD_MODEL_PROFILE_ALLOCATOR_H
#define DMD_MODEL_PROFILE_ALLOCATOR_H

#include <stdint.h>

typedef enum {
  DMD_ALLOCATOR_GLIBC,       /* GNU C library 2.26 and later, with its initial thresholds */
  DMD_ALLOCATOR_EXACT,       /* no slop: usable size equals requested size */
  DMD_ALLOCATOR_JEMALLOC,    /* version 5, with pages of 4 KiB */
  DMD_ALLOCATOR_MOZJEMALLOC, /* as in Firefox, on Linux with pages of 4 KiB */
  DMD_ALLOCATOR_TCMALLOC,    /* from gperftools, with pages of 8 KiB */
  DMD_ALLOCATOR_MIMALLOC,    /* version 2.0 */
  DMD_N_ALLOCATORS
} dmd_allocator_t;

/* The model's name in options and files, e.g. "glibc". */
const char *dmd_allocator_name(dmd_allocator_t allocator);

/* Usable bytes for a request of req bytes in a program with words of word_szB (4 or 8) bytes. align
 * is a power of two as passed to memalign and its relatives; 1 for malloc. The result is at least
 * req, and req itself if the model's sum would overflow. */
uint64_t dmd_allocator_usable(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req,
                              uint64_t align);

/* Bytes that a small block takes from the heap in addition to its usable bytes: glibc's size field.
 * The other models keep such data apart from the blocks. */
uint64_t dmd_allocator_header(dmd_allocator_t allocator, uint64_t word_szB);

/* The largest request below req that gets less than req, and thus all of whose usable bytes are
 * requested; 0 if no request gets less. Cost: a binary search. */
uint64_t dmd_allocator_size_below(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req);

/* Usable bytes after realloc of a block of old_usable bytes to req bytes (req > 0), whether or not
 * it moves. Some allocators leave a shrinking block as it is, and some let a growing one grow by
 * more than requested. The result is at least req. */
uint64_t dmd_allocator_resized(dmd_allocator_t allocator, uint64_t word_szB, uint64_t old_usable,
                               uint64_t req);

/* Usable bytes after xallocx of a block of old_usable bytes that can grow to room bytes: as close
 * to most as possible, or old_usable if not even least fits. least and most are usable sizes. Only
 * jemalloc has this function, so one rule serves all models. */
uint64_t dmd_allocator_resized_in_place(uint64_t old_usable, uint64_t least, uint64_t most,
                                        uint64_t room);

/* The size that an aligned operator new requests from memalign. The C++ library of GCC rounds it up
 * to the alignment up to GCC 12; allocators that bring their own operators do not. */
uint64_t dmd_allocator_new_request(dmd_allocator_t allocator, uint64_t req, uint64_t align);

#endif
