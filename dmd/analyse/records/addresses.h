/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * addresses.h: finds the block of a profile of mode scan that contains an address.
 *
 * A block is its requested bytes; blocks do not overlap, and an empty one contains its start
 * address. Memory: 4 bytes a block; binary search. The profile must not change meanwhile.
 */
#ifndef DMD_ANALYSE_RECORDS_ADDRESSES_H
#define DMD_ANALYSE_RECORDS_ADDRESSES_H

#include "base/strbuf.h"
#include "model/profile/profile.h"

typedef struct dmd_addresses {
  const dmd_profile_t *profile;
  uint32_t *groups; /* group ids, sorted by block address */
  uint32_t n;
} dmd_addresses_t;

/* Returns false, with the reason in *why, if blocks have no addresses or impossible ones. Destroy
 * it in either case. */
bool dmd_addresses_init(dmd_addresses_t *addresses, const dmd_profile_t *profile,
                        dmd_strbuf_t *why);
void dmd_addresses_destroy(dmd_addresses_t *addresses);

/* The place in `groups` of the block that contains addr; `n` if none. */
uint32_t dmd_addresses_find(const dmd_addresses_t *addresses, uint64_t addr);

/* The block at a place: its group's id, and its start address. */
static inline uint32_t dmd_addresses_group(const dmd_addresses_t *addresses, uint32_t place) {
  return addresses->groups[place];
}

static inline uint64_t dmd_addresses_start(const dmd_addresses_t *addresses, uint32_t place) {
  return dmd_scanned_of(&addresses->profile->scanned, addresses->groups[place])->addr;
}

#endif
