/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * site.h: of which type a block is, to judge by the code that asked for it.
 *
 * Behind the call that returned the block its address is in a register (flow.h). Debug information
 * says which variables live in which registers and places on the stack: a variable of a pointer
 * type that has this value names the type. So do the member or the variable that the address is
 * stored into, the first parameter of a function that it is passed to, as a constructor, and what
 * the function returns, if it returns the address. Clang may write the type down by itself
 * (DW_AT_LLVM_alloc_type).
 *
 * Inlined functions of allocators that are made for a type (std::allocator<Jar>::allocate) name it
 * better than any variable.
 */
#ifndef DMD_READER_TYPES_SITE_H
#define DMD_READER_TYPES_SITE_H

#include "graph/typing.h"
#include "reader/types/dwarfindex.h"

typedef struct dmdv_candidate {
  uint32_t type;
  uint16_t lead;  /* bytes in front of it */
  bool is_of_one; /* only for a block that is one value of it: it may be a base class */
  uint8_t tells;  /* a dmd_tells_t, at least BYTES */
} dmdv_candidate_t;

enum { DMDV_SITE_CANDIDATES = 12 };

/* Whether the function's caller may get the block as its result. */
typedef enum { DMDV_RETURNS_UNKNOWN, DMDV_RETURNS_IT, DMDV_RETURNS_NOTHING } dmdv_returns_t;

typedef struct dmdv_site {
  bool is_known;   /* it was looked at */
  uint8_t returns; /* a dmdv_returns_t; unknown only without debug information */
  uint8_t n;
  dmdv_candidate_t candidates[DMDV_SITE_CANDIDATES];
  uint32_t allocator_type; /* DMD_NONE: no allocator for a type */
} dmdv_site_t;

/* The site of a call in this object, at the address behind the call. */
dmdv_site_t dmdv_site(const dmdv_debugfile_t *file, const dmdv_dwarfindex_t *index, uint64_t addr);

#endif
