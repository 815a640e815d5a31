/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/addresses.h"

#include "base/sort.h"

static uint64_t addr_of(const dmd_profile_t *profile, uint32_t group) {
  const dmd_scanned_block_t *block = dmd_scanned_of(&profile->scanned, group);
  return block == NULL ? 0 : block->addr;
}

static uint64_t requested(const dmd_profile_t *profile, uint32_t group) {
  return dmd_groups_at(&profile->groups, group)->req;
}

/* Empty blocks come before a block that begins at the same address. */
static int compare(const void *ctx, uint32_t a, uint32_t b) {
  uint64_t x = addr_of(ctx, a), y = addr_of(ctx, b);
  if (x == y) {
    x = requested(ctx, a);
    y = requested(ctx, b);
  }
  return (x > y) - (x < y);
}

static void add_addr(dmd_strbuf_t *why, const char *before, uint64_t addr) {
  dmd_strbuf_str(why, before);
  dmd_strbuf_str(why, "0x");
  dmd_strbuf_hex(why, addr);
}

/* True if the block at this place has a possible address. */
static bool check(const dmd_addresses_t *a, uint32_t place, dmd_strbuf_t *why) {
  uint64_t start = addr_of(a->profile, a->groups[place]);
  uint64_t szB = requested(a->profile, a->groups[place]);
  if (start == 0) {
    dmd_strbuf_str(why, "a block has no address");
  } else if (szB > UINT64_MAX - start) {
    add_addr(why, "the block at ", start);
    dmd_strbuf_str(why, " ends beyond all addresses");
  } else if (place + 1 < a->n && addr_of(a->profile, a->groups[place + 1]) - start < szB) {
    add_addr(why, "the blocks at ", start);
    add_addr(why, " and ", addr_of(a->profile, a->groups[place + 1]));
    dmd_strbuf_str(why, " overlap");
  } else {
    return true;
  }
  return false;
}

bool dmd_addresses_init(dmd_addresses_t *a, const dmd_profile_t *profile, dmd_strbuf_t *why) {
  a->profile = profile;
  a->n = dmd_groups_count(&profile->groups);
  a->groups = dmd_env_alloc(profile->env, "dmd.addresses", ((size_t)a->n + 1) * sizeof *a->groups);
  for (uint32_t i = 0; i < a->n; i++)
    a->groups[i] = i + 1;
  dmd_sort(profile->env, a->groups, a->n, compare, profile);
  bool good = true;
  for (uint32_t i = 0; i < a->n && good; i++)
    good = check(a, i, why);
  return good;
}

void dmd_addresses_destroy(dmd_addresses_t *a) {
  dmd_env_free(a->profile->env, a->groups);
}

uint32_t dmd_addresses_find(const dmd_addresses_t *a, uint64_t addr) {
  uint32_t next;
  DMD_SEARCH(next, 0, a->n, dmd_addresses_start(a, next) <= addr);
  if (next == 0)
    return a->n;
  uint64_t into = addr - dmd_addresses_start(a, next - 1);
  return into == 0 || into < requested(a->profile, a->groups[next - 1]) ? next - 1 : a->n;
}
