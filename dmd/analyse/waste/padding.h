/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * padding.h: the holes of a struct, and an order of its members that needs fewer bytes.
 *
 * Holes are counted as pahole counts them: bytes of the struct itself that no member covers. Holes
 * within members that are structs belong to these. Bit fields that share bytes move together.
 *
 * A new order is only proposed if the compiler would lay out the members in it as assumed: base
 * classes, the pointer to the virtual function table, and a struct at the start stay first; an
 * array without a fixed length stays last. Packed structs, and those with members aligned more than
 * their types need, keep the order that somebody chose, and so do types of the C++ library.
 *
 * Types come from untrusted files: the work is limited, whatever they claim.
 */
#ifndef DMD_ANALYSE_WASTE_PADDING_H
#define DMD_ANALYSE_WASTE_PADDING_H

#include "model/graph/types.h"

typedef struct dmd_padding {
  uint64_t szB;       /* of a value */
  uint64_t holes_szB; /* between members */
  uint64_t tail_szB;  /* behind the last member */
  uint32_t n_holes;   /* between members */
  uint64_t best_szB;  /* in the best order; szB if no order is better, or none is proposed */
} dmd_padding_t;

/* A struct's; all zero for other types and for structs with unknown members. */
dmd_padding_t dmd_padding_of(dmd_types_t *types, uint32_t type);

/* Calls add for the members in the best order: their names, "(base class)" for one without a name.
 * Calls nothing if no order is better. */
void dmd_padding_order(dmd_types_t *types, uint32_t type, void (*add)(void *ctx, const char *name),
                       void *ctx);

#endif
