/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * groups.h: blocks that are equal in everything that is kept of them, counted.
 *
 * A group is what a dump holds instead of blocks, so that memory grows with the number of
 * *distinct* blocks. The ids in a group are those of the set's owner: of a profile, or for the live
 * heap's history of the live heap.
 *
 * Groups have the ids 1, 2, 3 ... in the order in which the first block of each came. A group takes
 * 40 bytes, and 11 to 22 in the index.
 *
 * Concurrency: nothing locks; one thread at a time for each collection. Of the live state there is
 * one for the whole process.
 */
#ifndef DMD_PROFILE_GROUPS_H
#define DMD_PROFILE_GROUPS_H

#include "base/intern.h"
#include "base/limits.h"
#include "base/pool.h"
#include "base/table.h"

/* The id of the tag with this name, among all tags of one owner. The last id is kept for what new
 * tags have in common once all others are taken: "(other tags)". */
uint32_t dmd_tag_intern(dmd_intern_t *tags, const char *name);

/* A thread's number as a group keeps it: all beyond the highest are that one. */
static inline uint16_t dmd_thread_number(uint64_t thread) {
  return (uint16_t)(thread > DMD_MAX_THREAD ? DMD_MAX_THREAD : thread);
}

typedef struct dmd_group {
  uint64_t req;         /* requested bytes of each block */
  uint64_t slop;        /* usable minus requested bytes of each block */
  uint64_t num;         /* blocks; not part of the key. In a difference a signed number */
  uint32_t stack;       /* where allocated; DMD_NONE: not recorded */
  uint32_t reports;     /* a report set; DMD_NONE: unreported */
  uint16_t tag;         /* DMD_NONE: none */
  uint16_t thread : 15; /* that allocated them, as Valgrind counts: 1 is the first; 0: unknown */
  uint16_t sampled : 1; /* each stands for req bytes of blocks below the sampling limit */
  uint32_t record;      /* free for the owner: the record that the group belongs to */
} dmd_group_t;

typedef struct dmd_groups {
  dmd_pool_t pool;
  dmd_table_t index;
} dmd_groups_t;

/* The set must stay where it is until it is destroyed. */
void dmd_groups_init(dmd_groups_t *groups, const dmd_env_t *env);
void dmd_groups_destroy(dmd_groups_t *groups);

/* Adds key->num blocks to the group that equals key in all but num and record. */
void dmd_groups_add(dmd_groups_t *groups, const dmd_group_t *key);

/* The same for n keys, one after another. A set of many groups is in no cache, and this waits for
 * memory once for several keys instead of once or twice for each. */
void dmd_groups_add_all(dmd_groups_t *groups, const dmd_group_t *keys, size_t n);

/* Says that no key from now on will equal a group that is there already: the index starts anew, so
 * that it takes memory and caches for later groups only. */
void dmd_groups_close(dmd_groups_t *groups);

/* Makes a new group of the key's blocks even if there is an equal one: for blocks that differ in
 * something that groups do not hold. Returns its id. */
uint32_t dmd_groups_append(dmd_groups_t *groups, const dmd_group_t *key);

/* Makes one of groups that have become equal since they were added, as by other ids in them. The
 * ids of groups change, and their order stays. */
void dmd_groups_join(dmd_groups_t *groups);

/* Says that nothing will be added any more, which gives back the memory of the index. */
void dmd_groups_finish(dmd_groups_t *groups);

/* Says that the groups of a finished set up to this one will not be used again: dmd_pool_pass. */
void dmd_groups_pass(dmd_groups_t *groups, uint32_t id);

static inline uint32_t dmd_groups_count(const dmd_groups_t *groups) {
  return groups->pool.last;
}

static inline dmd_group_t *dmd_groups_at(const dmd_groups_t *groups, uint32_t id) {
  return DMD_POOL_AT(&groups->pool, dmd_group_t, id);
}

#endif
