/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ages.h: how long freed blocks lived (model/profile/lifetimes.h), by the stack that allocated
 * them. A part of blocks.h.
 *
 * Time is the bytes allocated so far. A block has no room for the time of its birth, but a number
 * that grows (peak.h). So this module notes now and then which number was next at which time, with
 * each KiB that a thread alone allocates; a number then tells the time to half a KiB. A block
 * larger than that is the last before a note, so its time is known better. Older notes are thinned
 * out: a level has DMD_AGES_SLOTS notes, and passes those that it drops on to the next level, which
 * leaves out a note if those beside it are at most so far apart: 2 KiB, 4 KiB and so on. So the
 * time of any birth is known to 1/256 of the block's age, or half a KiB, in memory that does not
 * grow with the run. When the numbers are used up (peak.h), all blocks begin a new life.
 *
 * If the host counts the program's instructions, they may be the time instead, with notes at least
 * 1,024 apart. Then time also passes while nothing is allocated. So a note says when the last block
 * before it was born, too: blocks of one number are born within 1,024 instructions. Frees read the
 * counter when they happen (dmd_instant_t), which may be before they are counted. A program whose
 * threads run in parallel cannot be measured in this way.
 *
 * While threads run in parallel, each adds to the time what it has allocated since it last did, in
 * steps of DMD_TIMEKEEPER_SZB. A birth is then known to that times the number of threads.
 *
 * The largest live size of a stack needs its live bytes, which change at each allocation, too.
 *
 * Cost: 320 bytes for each stack; 4 KiB for each level, of which there is one more each time the
 * allocated bytes double; a search among the notes at each free, and a look-up at each allocation.
 * While threads run in parallel they share a lock for it. Off unless the user wants it.
 *
 * Concurrency: the lock here comes after the shard locks. While a thread is alone nobody else
 * calls.
 */
#ifndef DMD_RECORD_HEAP_AGES_H
#define DMD_RECORD_HEAP_AGES_H

#include "base/lock.h"
#include "model/profile/lifetimes.h"
#include "record/heap/block.h"
#include "record/heap/timekeeper.h"

enum { DMD_AGES_SLOTS = 256, DMD_AGES_LEVELS = 40, DMD_AGES_SZB = 1024 };

/* Blocks with this number or a larger one were allocated at this time or later. */
typedef struct dmd_age_note {
  uint32_t number;
  uint64_t at;
} dmd_age_note_t;

typedef struct dmd_age_level {
  dmd_age_note_t *notes; /* a ring; NULL: none yet */
  uint32_t first, n;
} dmd_age_level_t;

typedef struct dmd_ages {
  const dmd_env_t *env;
  const dmd_waiting_t *waiting; /* NULL: no lock needed */
  dmd_lock_t lock;
  dmd_clock_t clock;              /* the program's instructions; now is NULL: time is in bytes */
  uint64_t last_note, last_birth; /* by the clock */
  dmd_pool_t stacks;    /* of dmd_lifetime_t, by stack + 1; freed blocks, but for most_szB */
  dmd_pool_t live;      /* live bytes, uint64_t, by stack + 1 */
  uint64_t now;         /* while threads run in parallel */
  uint32_t last_number; /* of the last free of a thread alone */
  dmd_age_level_t levels[DMD_AGES_LEVELS];
} dmd_ages_t;

dmd_ages_t *dmd_ages_create(const dmd_env_t *env, const dmd_waiting_t *waiting, dmd_clock_t clock);
void dmd_ages_destroy(dmd_ages_t *ages);

/* From now on blocks have this number or a larger one. */
void dmd_ages_note(dmd_ages_t *ages, uint32_t number, uint64_t now);

/* Forgets when blocks were born: it was now. */
void dmd_ages_restart(dmd_ages_t *ages, uint64_t now);

/* The time by the clock, or else this one. */
static inline uint64_t dmd_ages_time(const dmd_ages_t *ages, uint64_t otherwise) {
  return ages->clock.now == NULL ? otherwise : ages->clock.now(ages->clock.ctx);
}

/* Before dmd_ages_add, if there is a clock: a block with this number is born now. If it needs a
 * note, it and the blocks after it have a larger number. */
void dmd_ages_note_birth(dmd_ages_t *ages, dmd_block_t *block, uint32_t *number);

/* A block was added. Call after dmd_ages_free for all frees before. */
void dmd_ages_add(dmd_ages_t *ages, const dmd_block_t *block);

/* A block of a thread alone is freed at this time. number is that of its free (dmd_instant_t). Call
 * in the order of the frees. is_newest: nothing was allocated after it. */
void dmd_ages_free(dmd_ages_t *ages, const dmd_block_t *block, uint64_t now, uint32_t number,
                   bool is_newest);

/* Threads run in parallel: szB more were allocated, and *number is to grow, to `most` at most; a
 * block is freed. */
void dmd_ages_pass(dmd_ages_t *ages, uint64_t szB, uint32_t *number, uint32_t most);
void dmd_ages_free_in_parallel(dmd_ages_t *ages, const dmd_block_t *block, bool is_temporary);

/* The freed blocks of this stack; NULL: no block. And the highest stack with freed blocks. */
const dmd_lifetime_t *dmd_ages_of(const dmd_ages_t *ages, uint32_t stack);
static inline uint32_t dmd_ages_last_stack(const dmd_ages_t *ages) {
  return ages->stacks.last == 0 ? 0 : ages->stacks.last - 1;
}

#endif
