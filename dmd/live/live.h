/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * live.h: what is kept while the program runs, and every event that changes it.
 *
 * The engine turns what its host sees of the program into the calls below; snapshot.h turns the
 * state into a profile when a dump is due. Threads are the host's small numbers, addresses are the
 * program's, stacks are ids of the host's.
 *
 * An allocation takes three steps, so that a stack is only captured where one is wanted:
 *   usable = dmd_live_usable(...)       the shell reserves that much
 *   plan = dmd_live_plan(...)           says whether a stack is wanted
 *   dmd_live_add(...)                   when the memory could be had
 *
 * Concurrency: one thread at a time, which is whoever has the engine's lock (engine/engine.h). Two
 * things do without: what a thread allocates and frees may come by the way of quick.h; and whether
 * the stack of a free is wanted, which becomes true once, anybody may ask. Blocks have locks of
 * their own (blocks.h), taken here as they are needed, and let go by whoever ends the event. The
 * config is read only, but for the allocator, which is settled before the first block
 * (engine/loaded.h).
 */
#ifndef DMD_LIVE_LIVE_H
#define DMD_LIVE_LIVE_H

#include "live/allocator.h"
#include "live/blocks.h"
#include "live/claim.h"
#include "live/counters.h"
#include "live/lasttime.h"
#include "live/sample.h"
#include "live/scope.h"
#include "profile/sampled.h"

/* What became of the function that began a scope. */
typedef enum {
  DMD_BEGIN_UNKNOWN,
  DMD_BEGIN_RUNNING, /* it, or what it called, is what runs now */
  DMD_BEGIN_LEFT     /* it was left, and so was its caller */
} dmd_begin_state_t;

/* Where on a thread's stack the function is that began a scope. */
typedef struct dmd_begin_frame {
  enum {
    DMD_FRAME_UNKNOWN,
    DMD_FRAME_ON_STACK, /* it, or the innermost function around it that is there */
    DMD_FRAME_SUSPENDED /* a coroutine that is not on the stack now */
  } where;
  uint32_t frame;    /* of one on the stack: less than that of one further out */
  bool is_coroutine; /* it is one that is on the stack, and a coroutine */
} dmd_begin_frame_t;

/* What only the host knows of the program. ctx is passed to each. */
typedef struct dmd_live_host {
  void *ctx;
  /* What memory an address outside of all blocks lies in: the kind of fault that a report of it is,
   * and a description of at most szB bytes, which may be empty. */
  dmd_fault_kind_t (*classify)(void *ctx, uint64_t addr, char *text, size_t szB);
  bool (*same_function)(void *ctx, uint64_t ip, uint64_t other_ip);
  /* Of a scope that began with the one stack, in a thread that has the other now. NULL: unknown. */
  dmd_begin_state_t (*begin_state)(void *ctx, uint32_t begun, uint32_t now);
  /* The same question, asked where scopes are free (scope.h). NULL: unknown. */
  dmd_begin_frame_t (*begin_frame)(void *ctx, uint32_t begun, uint32_t now);
  /* Whether a coroutine is on the one stack that is not on the other, with which a scope began.
   * NULL: none is. */
  bool (*has_other_coroutine)(void *ctx, uint32_t begun, uint32_t now);
} dmd_live_host_t;

typedef struct dmd_live_config {
  dmd_mode_t mode;
  dmd_allocator_t allocator;
  bool allocator_is_auto; /* the host chose it, not the user */
  uint64_t word_szB;      /* the program's: 4 or 8 */
  bool partial_stacks;
  bool inherit_tags;        /* a new thread carries the tag of the thread that creates it */
  uint64_t sample_below;    /* bytes; 0: off */
  uint64_t sample_interval; /* bytes; 0: off. The host then tells of those blocks only that are
                               kept (countdown.h) */
  uint64_t seed;
  uint32_t freed_blocks;        /* blocks to remember after they are freed */
  dmd_slabs_t *slabs;           /* where the host takes small blocks from, see blocks.h; or NULL */
  uint32_t n_parts;             /* of the blocks, see blocks.h; 0: one */
  const dmd_waiting_t *waiting; /* of a host whose threads run at the same time; else NULL */
  bool never_quick;             /* every event is the long way's, see quick.h */
  bool require_scope;           /* a report outside of any reporter is a fault */
  dmd_live_host_t host;
} dmd_live_config_t;

typedef struct dmd_live {
  const dmd_env_t *env;
  dmd_live_config_t config;
  dmd_blocks_t *blocks;
  dmd_marks_t *marks; /* of the blocks, with sample_interval; else NULL */
  dmd_sampler_t sampler;
  dmd_reports_t reports;
  dmd_intern_t reporter_names, tag_names;
  dmd_scopes_t reporters, tags;
  dmd_claims_t claims;     /* of the open reporters: the data of their scopes */
  dmd_counters_t counters; /* what reports on allocation cover */
  dmd_faults_t faults;
  dmd_memreports_t memreports; /* since the last clear */
  dmd_lasttime_t last_time;    /* what reporters measured since then, and before */
  dmd_groups_t history;        /* cumulative mode: every block that ever was */
  bool wants_stack_of_free;    /* from the first report or reporter on */
  uint32_t generation;         /* of what threads may have copies of, see quick.h; never 0 */
  uint64_t noted_changes;      /* quick.c's own */
} dmd_live_t;

/* The state must stay where it is until it is destroyed, and the slabs as long. */
void dmd_live_init(dmd_live_t *live, const dmd_env_t *env, const dmd_live_config_t *config);
void dmd_live_destroy(dmd_live_t *live);

/* ---- Blocks. ---- */

/* What the caller has to do for a new block. */
typedef struct dmd_plan {
  bool stack;     /* capture one */
  uint32_t flags; /* DMD_BLOCK_... that the block gets */
} dmd_plan_t;

/* What the model says, see allocator.h; at most 4 GiB of slop, which is what a block's record can
 * hold. */
uint64_t dmd_live_usable(const dmd_live_t *live, uint64_t req, uint64_t align);
uint64_t dmd_live_resized(const dmd_live_t *live, uint64_t old_usable, uint64_t req);

dmd_plan_t dmd_live_plan(dmd_live_t *live, uint64_t usable);

/* The same with another sampler than that of the state, of which only what does not change is
 * looked at. */
dmd_plan_t dmd_live_plan_by(const dmd_live_t *live, dmd_sampler_t *sampler, uint64_t usable);

/* Whether the plan of each block wants its stack. */
static inline bool dmd_live_wants_all_stacks(const dmd_live_t *live) {
  return live->config.sample_below == 0 && !live->config.partial_stacks;
}

/* A block was allocated. It bears the tag that its thread carries; if that carries none,
 * new_block->tag. Its flags are those of the plan, and DMD_BLOCK_ANNOUNCED where it applies. */
void dmd_live_add(dmd_live_t *live, const dmd_new_block_t *new_block);

/* The group of blocks like this one, with the live heap's ids; for a block that is not passed over.
 */
dmd_group_t dmd_live_group_of(const dmd_live_t *live, const dmd_block_t *block);

/* How many blocks like this one it stands for: 1 unless it is one of few that are kept. */
static inline double dmd_live_weight(const dmd_live_t *live, const dmd_block_t *block) {
  uint64_t interval = live->config.sample_interval;
  return interval == 0 ? 1 : dmd_sampled_weight(interval, block->req);
}

/* Whether dmd_live_remove wants to know the stack of the free. */
static inline bool dmd_live_wants_stack_of_free(const dmd_live_t *live) {
  return __atomic_load_n(&live->wants_stack_of_free, __ATOMIC_RELAXED);
}

static inline void dmd_live_want_stack_of_free(dmd_live_t *live) {
  __atomic_store_n(&live->wants_stack_of_free, true, __ATOMIC_RELAXED);
}

/* The block at addr is gone, freed at this stack (DMD_NONE: not captured). Where it failed the
 * shell adds a fault. */
static inline dmd_remove_t dmd_live_remove(dmd_live_t *live, uint64_t addr, uint32_t stack) {
  return dmd_blocks_remove(live->blocks, addr, stack);
}

/* A block keeps its address and gets a new size, stack and tag; its reports are dropped. Counts as
 * one free and one allocation. The block must be live. */
void dmd_live_resize(dmd_live_t *live, const dmd_new_block_t *now);

/* An announced block gets a new size and keeps everything else. The block must be live. */
void dmd_live_resize_announced(dmd_live_t *live, uint64_t addr, uint64_t req);

/* This announced block, which starts at addr, is gone, freed at this stack; or it moved, with a new
 * size, and keeps everything else. One that moves is another record from then on. */
static inline void dmd_live_remove_announced(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                                             uint32_t stack) {
  dmd_blocks_remove_announced(live->blocks, addr, block, stack);
}
dmd_block_t *dmd_live_move_announced(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                                     uint64_t to, uint64_t req);

/* The end of a realloc that the program's allocator made (blocks.h): the block, which started at
 * addr, became this one, which bears the tag that its thread carries now. */
void dmd_live_end_move(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                       const dmd_new_block_t *now);

/* Whether sampling passed over whatever block may start at addr. What is certain is seen without a
 * lock; false: it may have done so all the same. */
static inline bool dmd_live_passed_over(const dmd_live_t *live, uint64_t addr) {
  return live->marks != NULL && !dmd_marks_may_have(live->marks, addr);
}

/* The block that starts at addr, or NULL. */
static inline const dmd_block_t *dmd_live_find(const dmd_live_t *live, uint64_t addr) {
  return dmd_blocks_find(live->blocks, addr);
}

/* The same of a block that free and realloc are about: no chunk of a memory pool. */
static inline const dmd_block_t *dmd_live_find_freeable(const dmd_live_t *live, uint64_t addr) {
  return dmd_blocks_find_freeable(live->blocks, addr);
}

/* Its usable bytes; 0 when there is none. */
static inline uint64_t dmd_live_usable_at(const dmd_live_t *live, uint64_t addr) {
  const dmd_block_t *block = dmd_live_find(live, addr);
  return block == NULL ? 0 : dmd_block_usable(block);
}

static inline dmd_totals_t dmd_live_totals(const dmd_live_t *live) {
  return dmd_blocks_totals(live->blocks);
}

/* ---- Reports. ---- */

/* Whether reports are kept: in dark-matter mode only. Elsewhere they answer sizes and no more. */
static inline bool dmd_live_keeps_reports(const dmd_live_t *live) {
  return live->config.mode == DMD_MODE_DARK_MATTER;
}

/* The block at addr was reported, at this stack. flags: DMD_REPORT_... reporter: a name's id, or
 * DMD_NONE for the thread's innermost reporter scope. Returns the usable bytes. When no block
 * starts at addr: counts a fault (none for address 0) and returns 0. */
uint64_t dmd_live_report(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack,
                         uint32_t flags, uint32_t reporter);

/* The report of the block at addr gave it this length: a fault unless it is that of the block,
 * usable or requested. */
void dmd_live_check_length(dmd_live_t *live, uint64_t addr, uint64_t length, uint32_t stack,
                           uint32_t reporter);

/* Takes back all reports of the block at addr; returns its usable bytes. When no block starts at
 * addr: counts a fault (none for address 0) and returns 0. stack: wanted then only. */
uint64_t dmd_live_unreport(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack);

/* The thread asked the allocator itself how large a block is, and got this answer, in bytes. */
void dmd_live_note_asked(dmd_live_t *live, uint32_t thread, uint64_t usable);

/* The thread publishes a value; false where it is refused, see memreports.h. */
bool dmd_live_publish(dmd_live_t *live, uint32_t thread, const dmd_memreport_t *report);

/* Forgets all reports but those made on allocation, and what was published. Cost: one walk over the
 * blocks. */
void dmd_live_clear_reports(dmd_live_t *live);

/* ---- Scopes. ---- */

/* The claim of the thread's innermost reporter, or of the one so many further out; DMD_NONE where
 * there is none. */
static inline uint32_t dmd_live_claim(const dmd_live_t *live, uint32_t thread, uint32_t outer) {
  const dmd_scope_t *scope = dmd_scopes_pushed(&live->reporters, thread, outer);
  return scope == NULL ? DMD_NONE : scope->data;
}

/* Names are copied. They return the thread's new depth. place: where in the program. */
uint32_t dmd_live_push_tag(dmd_live_t *live, uint32_t thread, const char *name, dmd_place_t place);
uint32_t dmd_live_begin_reporter(dmd_live_t *live, uint32_t thread, const char *path,
                                 bool exclusive, dmd_place_t place);

/* A number for the thread's innermost reporter, by which other threads can join it; 0: none. */
uint64_t dmd_live_reporter_handle(const dmd_live_t *live, uint32_t thread);

/* From now on the thread measures for the reporter with this handle, which is another thread's and
 * must be open: false otherwise, when it measures for nobody. Until the thread leaves it what it
 * reports is that reporter's, and in its claim; what it reports after that reporter ended is in no
 * claim. False of leave: the thread's innermost reporter is none that it joined. */
bool dmd_live_join_reporter(dmd_live_t *live, uint32_t thread, uint64_t handle, dmd_place_t place);

/* A signal handler begins to run in the thread, which had this stack pointer, and ends. What it
 * reports, and its own reporters, have nothing to do with the reporters that it interrupted. One
 * that ends by a jump has no end: that shows when a reporter begins or ends. */
void dmd_live_begin_handler(dmd_live_t *live, uint32_t thread, uint64_t sp);
void dmd_live_end_handler(dmd_live_t *live, uint32_t thread);

/* The same for a host that is not told, but sees from a stack that the thread is in a handler,
 * which interrupted it at this stack pointer, or, with 0, that it is in none: what that says of
 * handlers that began and ended since the last time. */
void dmd_live_see_handler(dmd_live_t *live, uint32_t thread, uint64_t sp);

/* Whether the thread is known to be in one. */
bool dmd_live_is_in_handler(const dmd_live_t *live, uint32_t thread);

/* Which scope ends: that of the place's guard; else, where depth is not 0, the one whose begin
 * returned it; else the innermost one that is not free. Scopes within it were left without an end,
 * and are faults, unless they or it are free (scope.h). place.stack: wanted where a scope is. */
typedef struct dmd_scope_end {
  dmd_place_t place;
  uint64_t depth;
} dmd_scope_end_t;

/* False where no such scope was open: the shell then adds a fault. A claim that does not add up is
 * a fault at this stack. */
bool dmd_live_pop_tag(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end);
bool dmd_live_end_reporter(dmd_live_t *live, uint32_t thread, uint64_t claimed, uint32_t stack,
                           dmd_scope_end_t end);

/* The same for a reporter that an exception ended before it could claim. */
bool dmd_live_abandon_reporter(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end);
bool dmd_live_leave_reporter(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end);

/* The thread says at this stack that all is measured: reporters that it has still open are faults,
 * and so are tags that were left, once each. */
void dmd_live_check_open(dmd_live_t *live, uint32_t thread, uint32_t stack);

/* The program is about to end: reporters still open in any thread are faults. */
void dmd_live_end_all(dmd_live_t *live);

/* A tag outside the nesting: it takes the place of the one set since the last push. Clearing where
 * none is set changes nothing. */
uint32_t dmd_live_set_tag(dmd_live_t *live, uint32_t thread, const char *name);
void dmd_live_clear_tag(dmd_live_t *live, uint32_t thread);

/* In constant time. All zero for a name that is not the name of a tag (one that came after
 * DMD_MAX_TAGS others is not).
 */
dmd_tag_sum_t dmd_live_tag_sum(dmd_live_t *live, const char *name);

/* The same, and the thread's open reporter may claim these bytes without reporting their blocks. */
uint64_t dmd_live_tag_bytes(dmd_live_t *live, uint32_t thread, const char *name);

/* A thread is about to begin; an earlier thread may have had its number. parent: 0 for the first.
 * With inherit_tags it carries the tag that its parent carries now, below all of its own: it cannot
 * take it off, and its own children inherit it in turn. Reporters are not inherited. */
void dmd_live_start_thread(dmd_live_t *live, uint32_t parent, uint32_t thread);
void dmd_live_end_thread(dmd_live_t *live, uint32_t thread);

/* This process is a fork's child, made by this thread. The others are not in it: their scopes are
 * gone without anybody having left them open. */
void dmd_live_forked(dmd_live_t *live, uint32_t thread);

/* Counts a fault, together with the reporter scope that the thread is in. True when it is the first
 * of its kind at this place. */
bool dmd_live_fault(dmd_live_t *live, dmd_fault_kind_t kind, uint32_t thread, uint32_t stack);

#endif
