/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * addresses.h: in which block of a profile of mode scan an address is.
 *
 * Blocks are their requested bytes, and do not overlap; one of no bytes has the address of its
 * start. Memory: 4 bytes a block; a search takes log n.
 *
 * Concurrency: nothing locks; the profile must stay as it is meanwhile.
 */
#ifndef DMD_ANALYSIS_ADDRESSES_H
#define DMD_ANALYSIS_ADDRESSES_H

#include "base/strbuf.h"
#include "profile/profile.h"

typedef struct dmd_addresses {
  const dmd_profile_t *profile;
  uint32_t *groups; /* ids, in the order of the blocks' addresses */
  uint32_t n;
} dmd_addresses_t;

/* False, with what is wrong in *why, where the blocks have no addresses or cannot be where they
 * are. Destroy it either way. */
bool dmd_addresses_init(dmd_addresses_t *addresses, const dmd_profile_t *profile,
                        dmd_strbuf_t *why);
void dmd_addresses_destroy(dmd_addresses_t *addresses);

/* The place of the block in `groups`; `n`: the address is in none. */
uint32_t dmd_addresses_find(const dmd_addresses_t *addresses, uint64_t addr);

/* The block at a place: its group's id, and where it starts. */
static inline uint32_t dmd_addresses_group(const dmd_addresses_t *addresses, uint32_t place) {
  return addresses->groups[place];
}

static inline uint64_t dmd_addresses_start(const dmd_addresses_t *addresses, uint32_t place) {
  return dmd_scanned_of(&addresses->profile->scanned, addresses->groups[place])->addr;
}

#endif
