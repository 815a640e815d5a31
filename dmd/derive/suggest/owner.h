/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * owner.h: whether a slot owns the blocks that it leads to; by the rules of suggest.h.
 */
#ifndef DMD_DERIVE_SUGGEST_OWNER_H
#define DMD_DERIVE_SUGGEST_OWNER_H

#include "derive/suggest/evidence.h"

typedef enum {
  DMD_DERIVE_NOT_SEEN,  /* no such object is in the graph */
  DMD_DERIVE_NOWHERE,   /* no pointer leads to a block */
  DMD_DERIVE_BACK,      /* to what holds the object itself */
  DMD_DERIVE_OTHERS,    /* another slot owns what is there, or somebody unknown */
  DMD_DERIVE_SHARED,    /* with other objects */
  DMD_DERIVE_ALONE,     /* at least some blocks are held by nothing else */
  DMD_DERIVE_LIKELIEST, /* other slots hold all of the blocks, but are less likely to own them */
} dmd_derive_verdict_t;

/* *other: the slot that owns them, or one of those that hold them, too; DMD_NONE: there is none. */
dmd_derive_verdict_t dmd_derive_judge(const dmd_derive_slots_t *slots,
                                      const dmd_derive_evidence_t *evidence, uint32_t slot,
                                      uint32_t *other);

#endif
