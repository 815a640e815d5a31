/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocator.h: what usable size the program's real allocator would give.
 *
 * Under a tool every block comes from the tool's own arena, whose rounding says nothing about the
 * slop that the program has in production. A model computes the usable size of a request in a real
 * allocator; the tool reserves that much and answers malloc_usable_size with it.
 */
#ifndef DMD_LIVE_ALLOCATOR_H
#define DMD_LIVE_ALLOCATOR_H

#include <stdint.h>

typedef enum {
  DMD_ALLOCATOR_GLIBC, /* GNU C library 2.26 and later, its thresholds as they are at start-up */
  DMD_ALLOCATOR_EXACT, /* no slop: what was requested */
  DMD_N_ALLOCATORS
} dmd_allocator_t;

/* The model's name in options and files, e.g. "glibc". */
const char *dmd_allocator_name(dmd_allocator_t allocator);

/* The usable bytes that a request of req bytes gets, in a program whose words have word_szB (4 or
 * 8) bytes. At least req; req itself where the model's sum would overflow. */
uint64_t dmd_allocator_usable(dmd_allocator_t allocator, uint64_t word_szB, uint64_t req);

#endif
