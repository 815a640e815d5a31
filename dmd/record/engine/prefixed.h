/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * prefixed.h: allocators that programs link beside the C library's, under names of their own: Rust
 * programs jemalloc as _rjem_malloc, redis jemalloc as je_malloc, others mimalloc as mi_malloc.
 *
 * The program calls these functions directly, so that a preloaded library cannot replace them. The
 * native engine writes a jump at the entry of each (native/pl_replace.h). That is safe only if all
 * functions of the allocator that allocate, resize or free are replaced: a block must not come from
 * one allocator and go to the other. This module decides it from the symbols of a file, for the
 * engine and for dmdv, which chooses the engine before the program runs.
 *
 * Call order: add each symbol, then ask about each allocator.
 */
#ifndef DMD_RECORD_ENGINE_PREFIXED_H
#define DMD_RECORD_ENGINE_PREFIXED_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { DMD_PREFIXED_ALLOCATORS = 3, DMD_PREFIXED_MAX = 128, DMD_PREFIXED_NAME = 32 };

typedef struct dmd_prefixed_function {
  char name[DMD_PREFIXED_NAME];
  uint64_t addr, szB;
  uint32_t allocator;
} dmd_prefixed_function_t;

/* The functions of these allocators in one file. All zero at the start. */
typedef struct dmd_prefixed {
  uint32_t n;
  dmd_prefixed_function_t function[DMD_PREFIXED_MAX];
  bool is_full;    /* there are more functions */
  bool has_malloc; /* the file defines malloc itself */
  /* A function that has no replacement; "": none. */
  char unknown[DMD_PREFIXED_ALLOCATORS][DMD_PREFIXED_NAME];
} dmd_prefixed_t;

/* Adds a function that the file defines. */
void dmd_prefixed_add(dmd_prefixed_t *found, const char *name, uint64_t addr, uint64_t szB);

/* The name of a function that allocates with this allocator; NULL: the file does not have it. */
const char *dmd_prefixed_name(const dmd_prefixed_t *found, uint32_t allocator);

/* Whether all its functions can be replaced by jumps of this size. If not, appends why. */
bool dmd_prefixed_check(const dmd_prefixed_t *found, uint32_t allocator, uint64_t jump_szB,
                        dmd_strbuf_t *why);

#endif
