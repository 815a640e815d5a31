/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_entry.h: where the program called one of our functions.
 */
#ifndef DMD_NATIVE_PL_ENTRY_H
#define DMD_NATIVE_PL_ENTRY_H

#include <stdint.h>

/* Our functions that the program calls: the innermost frame of a stack. */
typedef enum {
  PL_IN_NONE, /* a request: the innermost frame is the program's own function */
  PL_IN_MALLOC,
  PL_IN_CALLOC,
  PL_IN_REALLOC,
  PL_IN_REALLOCARRAY,
  PL_IN_FREE,
  PL_IN_FREE_SIZED,
  PL_IN_FREE_ALIGNED_SIZED,
  PL_IN_POSIX_MEMALIGN,
  PL_IN_ALIGNED_ALLOC,
  PL_IN_MEMALIGN,
  PL_IN_VALLOC,
  PL_IN_PVALLOC,
  PL_IN_MALLOC_USABLE_SIZE,
  PL_IN_MALLOCX,
  PL_IN_RALLOCX,
  PL_IN_XALLOCX,
  PL_IN_DALLOCX,
  PL_IN_SDALLOCX,
  PL_IN_NEW, /* from here on: forms of new and delete (pl_new.h) */
  PL_N_NEWS = 20
} pl_in_t;

/* A call by the program. */
typedef struct pl_entry {
  uint64_t ip; /* the return address */
  uint64_t sp; /* the caller's stack pointer after the return */
  uint64_t fp; /* the caller's frame pointer, if it has one */
  pl_in_t in;
} pl_entry_t;

/* The call of the current function. */
#define PL_ENTRY(function)                                                                         \
  ((pl_entry_t){.ip = (uint64_t)__builtin_return_address(0),                                       \
                .sp = (uint64_t)__builtin_frame_address(0) + 2 * sizeof(void *),                   \
                .fp = *(const uint64_t *)__builtin_frame_address(0),                               \
                .in = (function)})

#endif
