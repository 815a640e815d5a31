/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * part.h: the live blocks of a part of all addresses.
 *
 * Part of live/blocks, whose only user it is: blocks.h says what each function does. Here are those
 * that concern one part, or ask it for its share. All but dmd_part_init and dmd_part_destroy are
 * called with its lock held, where there are locks.
 *
 * Concurrency: the lock guards all else but is_held, which belongs to who has the engine's.
 */
#ifndef DMD_LIVE_PART_H
#define DMD_LIVE_PART_H

#include "base/lock.h"
#include "live/blocks.h"
#include "live/heap.h"
#include "live/marks.h"

enum { DMD_PART_LINE = 64 }; /* bytes of a line of the processor's caches */

/* The block that was removed last, until it is settled. */
typedef struct dmd_leaving {
  dmd_removed_t removed; /* block is NULL where nothing is left to settle */
  uint64_t addr;
  uint32_t stack; /* where freed */
} dmd_leaving_t;

/* The blocks of all parts that were freed last. The lock comes after those of the parts. Each part
 * has its last ones for itself and adds them many at a time: threads that free at once would wait
 * for this memory, and for the lock's, at every free. */
typedef struct dmd_all_freed {
  uint32_t max_own; /* with how many a part adds them, 1 to DMD_PART_FREED */
  dmd_freed_t freed;
  dmd_lock_t lock;
  const dmd_waiting_t *waiting; /* NULL: it needs none */
} dmd_all_freed_t;

/* A free that is not counted yet. */
typedef struct dmd_late_free {
  uint64_t addr;
  uint32_t stack; /* where freed */
  uint32_t id;    /* of the record, see slots.h */
} dmd_late_free_t;

enum { DMD_PART_LATE = 16, DMD_PART_FREED = 128 };

typedef struct dmd_part {
  _Alignas(DMD_PART_LINE) dmd_lock_t lock;
  bool is_held; /* by the thread that has the engine's lock */
  dmd_heap_t heap;
  dmd_leaving_t leaving;
  dmd_totals_t totals; /* but for n_blocks, which the heap has; with the blocks that leave */
  dmd_pool_t tag_sums; /* a dmd_tag_sum_t for each tag, by the tag's id; with that block too */
  dmd_all_freed_t *freed;
  uint64_t sample_interval; /* 0: all blocks are here */
  dmd_marks_t *marks;       /* of those that are; NULL where all are */
  void (*gone)(void *ctx, const dmd_block_t *block, uint32_t stack); /* or NULL */
  void *gone_ctx;
  uint32_t n_late, oldest_late;
  dmd_late_free_t late[DMD_PART_LATE]; /* a ring */
  uint32_t n_own_freed;
  dmd_freed_block_t own_freed[DMD_PART_FREED]; /* that are to be added to all parts'; the rest of
                                                  the struct is not touched before it is needed */
} dmd_part_t;

void dmd_part_init(dmd_part_t *part, const dmd_env_t *env, const dmd_blocks_config_t *config,
                   dmd_marks_t *marks, dmd_all_freed_t *freed);
void dmd_part_destroy(dmd_part_t *part);

const dmd_block_t *dmd_part_add(dmd_part_t *part, const dmd_new_block_t *new_block, uint32_t tag);
dmd_remove_t dmd_part_remove(dmd_part_t *part, uint64_t addr, uint32_t stack);
const dmd_block_t *dmd_part_renew(dmd_part_t *part, const dmd_new_block_t *now, uint32_t tag);
void dmd_part_resize_announced(dmd_part_t *part, dmd_block_t *block, uint64_t req);
void dmd_part_remove_this(dmd_part_t *part, uint64_t addr, dmd_block_t *block, uint32_t stack);

/* The block goes on in `into`, which may be the same part. */
dmd_block_t *dmd_part_move_announced(dmd_part_t *part, uint64_t addr, dmd_block_t *block,
                                     dmd_part_t *into, uint64_t to, uint64_t req);
void dmd_part_count_failed_realloc(dmd_part_t *part, uint64_t req);

/* The block that starts at addr and may be freed there without anybody else's being asked: it was
 * neither announced nor reported. NULL: there is none. */
dmd_block_t *dmd_part_find_plain(const dmd_part_t *part, uint64_t addr);

dmd_block_t *dmd_part_find(const dmd_part_t *part, uint64_t addr);
dmd_block_t *dmd_part_find_freeable(const dmd_part_t *part, uint64_t addr);
dmd_block_t *dmd_part_find_older(const dmd_part_t *part, uint64_t addr, const dmd_block_t *block);
dmd_block_t *dmd_part_find_containing(dmd_part_t *part, uint64_t addr, uint64_t *start);

void dmd_part_settle(dmd_part_t *part);

/* Counts all frees that were told. */
void dmd_part_count_late_frees(dmd_part_t *part);

/* Whoever takes the lock does that first, but for the next two. */
static inline void dmd_part_catch_up(dmd_part_t *part) {
  if (part->n_late > 0)
    dmd_part_count_late_frees(part);
}

/* As dmd_blocks_quick_add and dmd_blocks_quick_remove. */
bool dmd_part_quick_add(dmd_part_t *part, const dmd_new_block_t *new_block, uint32_t tag);
bool dmd_part_quick_remove(dmd_part_t *part, uint64_t addr, uint32_t stack);

/* As dmd_blocks_begin_move. */
dmd_block_t *dmd_part_begin_move(dmd_part_t *part, uint64_t addr, bool if_plain);

/* Adds to the freed blocks of all parts what this one has. */
void dmd_part_pass_freed(dmd_part_t *part);

/* A block at addr is to be reported. */
void dmd_part_note_special(dmd_part_t *part, uint64_t addr);

/* Where blocks are sampled, numbers of blocks are in 1 / DMD_PART_FRACTION of one here. */
enum { DMD_PART_FRACTION = 1 << 16 };
dmd_totals_t dmd_part_totals(dmd_part_t *part);
dmd_tag_sum_t dmd_part_tag_sum(dmd_part_t *part, uint32_t tag);

#endif
