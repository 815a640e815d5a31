/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * shard.h: a shard: the live blocks in some of the 256 KiB pieces of address space.
 *
 * A part of record/heap/blocks, its only user; blocks.h describes the functions, of which the ones
 * here concern one shard or compute its share. All except dmd_shard_init and dmd_shard_destroy are
 * called with the shard's lock held, if there are locks. The lock guards everything in the struct
 * except is_held, which belongs to the holder of the engine's lock.
 */
#ifndef DMD_RECORD_HEAP_SHARD_H
#define DMD_RECORD_HEAP_SHARD_H

#include "base/lock.h"
#include "record/heap/blocks.h"
#include "record/heap/bloom.h"
#include "record/heap/heap.h"
#include "record/heap/peak.h"
#include "record/heap/timekeeper.h"

/* The block removed last, until it is settled. */
typedef struct dmd_leaving {
  dmd_removed_t removed; /* block is NULL if nothing is left to settle */
  uint64_t addr;
  uint32_t stack; /* where it was freed */
  bool is_counted;
  bool is_temporary; /* see ages.h; of threads in parallel */
  dmd_instant_t before;
} dmd_leaving_t;

/* The blocks freed last, from all shards. The lock comes after the shard locks. Each shard buffers
 * its own and adds many at a time: otherwise threads that free in parallel would wait for this
 * memory, and for the lock's, at every free. */
typedef struct dmd_all_freed {
  uint32_t max_own; /* size of a shard's buffer, 1 to DMD_SHARD_FREED */
  dmd_freed_t freed;
  dmd_lock_t lock;
  const dmd_waiting_t *waiting; /* NULL: no lock needed */
} dmd_all_freed_t;

/* A free that is not counted yet. */
typedef struct dmd_late_free {
  uint64_t addr;
  uint32_t stack;            /* where it was freed */
  uint32_t id : 31;          /* id of the record, see addressmap.h */
  uint32_t is_temporary : 1; /* see ages.h; of threads in parallel */
} dmd_late_free_t;

enum { DMD_SHARD_LATE = 16, DMD_SHARD_FREED = 128 };

/* Late frees of all shards, in order, while a thread is alone. */
typedef struct dmd_late_alone {
  uint32_t n, oldest;
  struct {
    dmd_late_free_t free;
    dmd_instant_t before;
    struct dmd_shard *shard;
  } ring[DMD_SHARD_LATE];
} dmd_late_alone_t;

/* Threads that take turns wait for each cache line that the other one wrote. So what most events
 * need is in the first ones. */
typedef struct dmd_shard {
  _Alignas(DMD_CACHE_LINE) dmd_lock_t lock;
  uint32_t n_late, oldest_late; /* of threads in parallel */
  dmd_heap_t heap;              /* its first fields, too, are those that most events need */
  dmd_peak_share_t share;
  uint64_t next_look; /* at this many bytes of threads in parallel, look at the clock */
  dmd_late_free_t late[DMD_SHARD_LATE]; /* ring buffer */
  /* Rarely written. */
  _Alignas(DMD_CACHE_LINE) dmd_peak_t *peak; /* of all shards, as is the next */
  dmd_late_alone_t *late_alone;
  uint64_t sample_interval; /* 0: all blocks are recorded */
  dmd_bloom_t *bloom;       /* Bloom filter of the sampled blocks; NULL if all are recorded */
  void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack); /* or NULL */
  void *gone_ctx;
  dmd_all_freed_t *freed;
  bool is_held; /* the thread that has the engine's lock holds this one, too */
  /* Of other events. */
  dmd_leaving_t leaving;
  dmd_totals_t totals; /* of what `share` does not count: announced blocks and what failed */
  dmd_pool_t tag_sums; /* a dmd_tag_sum_t per tag, by tag id; includes the block in `leaving` */
  uint64_t aged;       /* as many allocated bytes of threads in parallel `ages` knows of */
  uint32_t n_own_freed;
  dmd_freed_block_t own_freed[DMD_SHARD_FREED]; /* buffer for the common ring; last, since init does
                                                  not touch it */
} dmd_shard_t;

void dmd_shard_init(dmd_shard_t *part, const dmd_env_t *env, const dmd_blocks_config_t *config,
                    dmd_bloom_t *bloom, dmd_all_freed_t *freed, dmd_peak_t *peak,
                    dmd_late_alone_t *late_alone);
void dmd_shard_destroy(dmd_shard_t *part);

const dmd_block_t *dmd_shard_add(dmd_shard_t *part, const dmd_new_block_t *new_block, uint32_t tag);
dmd_remove_t dmd_shard_remove(dmd_shard_t *part, uint64_t addr, uint32_t stack);
const dmd_block_t *dmd_shard_renew(dmd_shard_t *part, const dmd_new_block_t *now, uint32_t tag);
void dmd_shard_resize_announced(dmd_shard_t *part, dmd_block_t *block, uint64_t req);
void dmd_shard_remove_this(dmd_shard_t *part, uint64_t addr, dmd_block_t *block, uint32_t stack);

/* The block goes on in `into`, which may be the same shard. */
dmd_block_t *dmd_shard_move_announced(dmd_shard_t *part, uint64_t addr, dmd_block_t *block,
                                      dmd_shard_t *into, uint64_t to, uint64_t req);
void dmd_shard_count_failed_realloc(dmd_shard_t *part, uint64_t req);

/* The block that starts at addr and may be freed on the fast path, since it was neither announced
 * nor reported; NULL if none. */
dmd_block_t *dmd_shard_find_plain(const dmd_shard_t *part, uint64_t addr);

dmd_block_t *dmd_shard_find(const dmd_shard_t *part, uint64_t addr);
dmd_block_t *dmd_shard_find_freeable(const dmd_shard_t *part, uint64_t addr);
dmd_block_t *dmd_shard_find_older(const dmd_shard_t *part, uint64_t addr, const dmd_block_t *block);
dmd_block_t *dmd_shard_find_containing(dmd_shard_t *part, uint64_t addr, uint64_t *start);

void dmd_shard_settle(dmd_shard_t *part);

/* Counts the free that settle would count, but does not give the memory back: what the program's
 * next block gets does not depend on it. */
void dmd_shard_count_leaving(dmd_shard_t *part);

/* Counts all late frees. */
void dmd_shard_count_late_frees(dmd_shard_t *part);
void dmd_shard_count_late_alone(dmd_late_alone_t *late);

/* To be called after taking the lock, except before the next two functions. */
static inline void dmd_shard_catch_up(dmd_shard_t *part) {
  if (part->n_late > 0)
    dmd_shard_count_late_frees(part);
  if (part->late_alone->n > 0)
    dmd_shard_count_late_alone(part->late_alone);
}

/* See dmd_blocks_fast_add and dmd_blocks_fast_remove. */
bool dmd_shard_fast_add(dmd_shard_t *part, const dmd_new_block_t *new_block, uint32_t tag);
bool dmd_shard_fast_remove(dmd_shard_t *part, uint64_t addr, uint32_t stack, bool is_temporary);

/* See dmd_blocks_begin_move. */
dmd_block_t *dmd_shard_begin_move(dmd_shard_t *part, uint64_t addr, bool if_plain);

/* Adds this shard's buffered freed blocks to the common ring. */
void dmd_shard_pass_freed(dmd_shard_t *part);

/* The requested bytes that a block stands for: its own, unless blocks are sampled. */
uint64_t dmd_shard_bytes_of(const dmd_shard_t *part, const dmd_block_t *block);

/* A block at addr is about to be reported. */
void dmd_shard_note_special(dmd_shard_t *part, uint64_t addr);

/* If blocks are sampled, block counts within a shard are in units of 1 / DMD_SHARD_FRACTION. */
enum { DMD_SHARD_FRACTION = 1 << 16 };
void dmd_shard_add_turnover(dmd_totals_t *totals, const dmd_turnover_t *sum);
dmd_totals_t dmd_shard_totals(dmd_shard_t *part);
dmd_tag_sum_t dmd_shard_tag_sum(dmd_shard_t *part, uint32_t tag);

#endif
