/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ownership.h: decides by the rules of suggest.h whether a slot owns the blocks that it leads to.
 */
#ifndef DMD_DERIVE_SUGGEST_OWNERSHIP_H
#define DMD_DERIVE_SUGGEST_OWNERSHIP_H

#include "derive/suggest/evidence.h"

typedef enum {
  DMD_DERIVE_NOT_SEEN,  /* the graph has no such object */
  DMD_DERIVE_NOWHERE,   /* no pointer leads to a block */
  DMD_DERIVE_BACK,      /* they lead to the object's own referrer */
  DMD_DERIVE_OTHERS,    /* another slot or an unknown referrer owns the blocks */
  DMD_DERIVE_SHARED,    /* shared with other objects */
  DMD_DERIVE_ALONE,     /* at least some blocks have no other referrer */
  DMD_DERIVE_LIKELIEST, /* other slots also lead to all of the blocks, but are less likely to own
                           them */
} dmd_derive_verdict_t;

/* *other: the slot that owns the blocks, or another one that leads to them; DMD_NONE: none. */
dmd_derive_verdict_t dmd_derive_judge(const dmd_derive_slots_t *slots,
                                      const dmd_derive_evidence_t *evidence, uint32_t slot,
                                      uint32_t *other);

#endif
