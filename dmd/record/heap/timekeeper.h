/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * timekeeper.h: records the heap over time (model/profile/timeline.h). A part of blocks.h.
 *
 * It divides time into slots of equal length and keeps one point for each slot in which something
 * was allocated: of the sizes that it saw there, the largest. When the points are full, slots
 * become twice as long and two points become one, so the number of points is bounded however long
 * the program runs. Marks are bounded in the same way: when they are full, every other one goes.
 *
 * Cost: a shard reads the clock after each DMD_TIMEKEEPER_SZB of allocated bytes. One point for
 * each slot, for which all shard locks are taken, and resident memory is read.
 *
 * Concurrency: dmd_timekeeper_is_due may be called by any thread at any time. The other functions
 * need all shard locks.
 */
#ifndef DMD_RECORD_HEAP_TIMEKEEPER_H
#define DMD_RECORD_HEAP_TIMEKEEPER_H

#include "model/profile/profile.h"

/* The clock of the host: milliseconds since the start of the program. NULL: unknown. */
typedef struct dmd_clock {
  uint64_t (*now)(void *ctx);
  void *ctx;
} dmd_clock_t;

/* The program's physical memory in bytes, as far as the host knows it cheaply; DMD_MEMORY_UNKNOWN:
 * not now. NULL: unknown. */
typedef struct dmd_resident {
  uint64_t (*now)(void *ctx);
  void *ctx;
} dmd_resident_t;

enum { DMD_TIMEKEEPER_SZB = 32768 };

typedef struct dmd_kept_mark {
  dmd_timemark_t mark; /* without its text */
  char *text;          /* NULL: none */
} dmd_kept_mark_t;

typedef struct dmd_timekeeper {
  const dmd_env_t *env;
  dmd_clock_t clock;
  dmd_clock_t instructions; /* now is NULL: they are not counted */
  dmd_resident_t resident;
  bool is_on;
  bool is_forked;             /* restarted */
  uint64_t spacing_ms;        /* length of a slot */
  uint64_t next_ms;           /* start of the next slot without a point */
  uint64_t last_ms;           /* latest time seen: a clock that goes back stands still */
  uint64_t last_instructions; /* when last_ms was seen */
  uint64_t most_resident_szB; /* that was seen; 0: unknown */
  dmd_timepoint_t *points;
  uint32_t n_points;
  dmd_kept_mark_t *marks;
  uint32_t n_marks;
} dmd_timekeeper_t;

/* Off unless is_on and the host has a clock. */
void dmd_timekeeper_init(dmd_timekeeper_t *keeper, const dmd_env_t *env, dmd_clock_t clock,
                         dmd_clock_t instructions, dmd_resident_t resident, bool is_on);
void dmd_timekeeper_destroy(dmd_timekeeper_t *keeper);

/* True if a point is to be added. ms: what the clock says. */
static inline bool dmd_timekeeper_is_due(const dmd_timekeeper_t *keeper, uint64_t ms) {
  return keeper->is_on && ms >= __atomic_load_n(&keeper->next_ms, __ATOMIC_RELAXED);
}

/* Gives a point the time that was seen last. */
static inline void dmd_timekeeper_set_last(const dmd_timekeeper_t *keeper, dmd_timepoint_t *point) {
  point->ms = keeper->last_ms;
  point->n_instructions = keeper->last_instructions;
}

/* Adds a point of now; its time and instructions are filled in, and its resident memory, which is
 * read once for each slot. */
void dmd_timekeeper_add(dmd_timekeeper_t *keeper, dmd_timepoint_t point);

/* Adds a mark of now, with a copy of the text; dump as in dmd_timemark_t. */
void dmd_timekeeper_mark(dmd_timekeeper_t *keeper, dmd_timepoint_t point, const char *text,
                         uint64_t dump);

/* Forgets everything: this is the child of a fork. */
void dmd_timekeeper_restart(dmd_timekeeper_t *keeper);

/* A point whose blocks are counted in units, of which `unit` make a block. */
dmd_timepoint_t dmd_timepoint_in_blocks(dmd_timepoint_t point, uint64_t unit);

/* Fills a profile's timeline. Its last point is `now`, at the time of the last call of one of the
 * functions above. unit: what counts as one block. */
void dmd_timekeeper_tell(const dmd_timekeeper_t *keeper, dmd_timepoint_t now, uint64_t unit,
                         dmd_profile_t *profile);

#endif
