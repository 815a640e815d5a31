/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * groups.h: counts blocks that are equal in everything that is recorded of them.
 *
 * A dump holds groups instead of blocks, so that memory grows with the number of *distinct* blocks.
 * The ids in a group belong to the set's owner: a profile or, for its history, the live heap.
 *
 * Groups have the ids 1, 2, 3 ... in the order of their first blocks. A group takes 40 bytes, and
 * 11 to 22 in the index.
 */
#ifndef DMD_MODEL_PROFILE_GROUPS_H
#define DMD_MODEL_PROFILE_GROUPS_H

#include "base/intern.h"
#include "base/limits.h"
#include "base/pool.h"
#include "base/table.h"

/* The id of a tag among all tags of one owner. The last id stands for all further tags once the
 * others are used up: "(other tags)". */
uint32_t dmd_tag_intern(dmd_intern_t *tags, const char *name);

/* A thread's number in a group: larger numbers become the highest one. */
static inline uint16_t dmd_thread_number(uint64_t thread) {
  return (uint16_t)(thread > DMD_MAX_THREAD ? DMD_MAX_THREAD : thread);
}

typedef struct dmd_group {
  uint64_t req;            /* requested bytes of each block */
  uint64_t slop;           /* usable minus requested bytes of each block */
  uint64_t num;            /* blocks; not part of the key. Signed in a difference */
  uint32_t stack;          /* of the allocation; DMD_NONE: not recorded */
  uint32_t reports;        /* a report set; DMD_NONE: unreported */
  uint16_t tag;            /* DMD_NONE: none */
  uint16_t thread : 15;    /* allocating thread, numbered as in Valgrind from 1; 0: unknown */
  uint16_t sampled : 1;    /* blocks were sampled and stand for others */
  uint32_t record : 30;    /* for the owner: the record of the group; not part of the key */
  uint32_t after_peak : 1; /* not of the peak; only if the owner has its records, see profile.h */
  uint32_t
      never_measured : 1; /* no dump of the process so far had a reported block of this stack */
} dmd_group_t;

typedef struct dmd_groups {
  dmd_pool_t pool;
  dmd_table_t index;
} dmd_groups_t;

/* The set must not move until it is destroyed. */
void dmd_groups_init(dmd_groups_t *groups, const dmd_env_t *env);
void dmd_groups_destroy(dmd_groups_t *groups);

/* Adds key->num blocks to the group that equals key except for num and record. */
void dmd_groups_add(dmd_groups_t *groups, const dmd_group_t *key);

/* Like dmd_groups_add for n keys in order. For a set too large for the caches, this waits for
 * memory once for several keys instead of once or twice for each. */
void dmd_groups_add_all(dmd_groups_t *groups, const dmd_group_t *keys, size_t n);

/* Declares that no further key will equal an existing group: the index starts empty, so that it
 * uses memory and caches for later groups only. */
void dmd_groups_close(dmd_groups_t *groups);

/* Adds a new group even if there is an equal one: for blocks that differ in something that groups
 * do not contain. Returns its id. */
uint32_t dmd_groups_append(dmd_groups_t *groups, const dmd_group_t *key);

/* Merges groups that have become equal since they were added, because ids in them changed. Ids of
 * groups change, but their order stays. */
void dmd_groups_join(dmd_groups_t *groups);

/* Declares that nothing more will be added, and frees the index. */
void dmd_groups_finish(dmd_groups_t *groups);

/* Declares that groups of a finished set up to this one will not be used again: dmd_pool_pass. */
void dmd_groups_pass(dmd_groups_t *groups, uint32_t id);

static inline uint32_t dmd_groups_count(const dmd_groups_t *groups) {
  return groups->pool.last;
}

static inline dmd_group_t *dmd_groups_at(const dmd_groups_t *groups, uint32_t id) {
  return DMD_POOL_AT(&groups->pool, dmd_group_t, id);
}

#endif
