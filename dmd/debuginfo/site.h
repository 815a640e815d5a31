/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * site.h: infers the type of a block from the code that allocated it.
 *
 * After the call that returned the block, its address is in a register (flow.h). Debug information
 * gives the variables in registers and on the stack: a pointer variable that has this value gives
 * the type. The same holds for the member or the variable that the address is stored into, the
 * first parameter of a function that it is passed to, such as a constructor, and the function's
 * return type, if it returns the address. Clang may record the type itself (DW_AT_LLVM_alloc_type).
 *
 * An inlined function of an allocator for one type (std::allocator<Jar>::allocate) gives the type
 * more reliably than any variable. In Rust, only such functions count.
 */
#ifndef DMD_DEBUGINFO_SITE_H
#define DMD_DEBUGINFO_SITE_H

#include "analyse/graph/typing.h"
#include "debuginfo/dwarfindex.h"

typedef struct dmdv_candidate {
  uint32_t type;
  uint16_t lead;  /* bytes in front of it */
  bool is_of_one; /* only for a block of exactly one such value: it may be a base class */
  uint8_t tells;  /* a dmd_tells_t, at least BYTES */
} dmdv_candidate_t;

enum { DMDV_SITE_CANDIDATES = 12 };

/* Whether the function's caller may get the block as its result. */
typedef enum { DMDV_RETURNS_UNKNOWN, DMDV_RETURNS_IT, DMDV_RETURNS_NOTHING } dmdv_returns_t;

typedef struct dmdv_site {
  bool is_known;   /* it was analysed */
  uint8_t returns; /* a dmdv_returns_t; unknown only without debug information */
  uint8_t n;
  dmdv_candidate_t candidates[DMDV_SITE_CANDIDATES];
  bool is_rust, is_generic_rust; /* the function is; false without debug information */
  dmdv_allocated_t allocated;    /* of the innermost function that allocates for one type */
} dmdv_site_t;

/* The site of a call in this object, by its return address. */
dmdv_site_t dmdv_site(const dmdv_debugfile_t *file, const dmdv_dwarfindex_t *index, uint64_t addr);

#endif
