/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * live.h: the state kept while the program runs, and every event that changes it.
 *
 * The engine translates what its host observes into the calls below; snapshot.h turns the state
 * into a profile when a dump is due. Threads are small numbers of the host's, addresses are the
 * program's, stacks are ids of the host's.
 *
 * An allocation takes three steps, so that a stack is captured only if it is needed:
 *
 *   usable = dmd_live_usable(...)       the shell reserves that much
 *   plan = dmd_live_plan(...)           says whether to capture a stack
 *   dmd_live_add(...)                   once the memory has been allocated
 *
 * Concurrency, for the whole folder: nothing locks, and one thread at a time calls in, the holder
 * of the engine's lock (record/engine/engine.h). Exceptions: the fast path (fastpath.h);
 * dmd_live_wants_stack_of_free, which any thread may call and which becomes true once; and blocks,
 * whose shards have locks of their own (blocks.h), taken here as needed and released by whoever
 * ends the event. Modules with other rules state them in their headers. The config is constant
 * except for the allocator, which is fixed before the first block (record/engine/loaded.h).
 */
#ifndef DMD_RECORD_HEAP_LIVE_H
#define DMD_RECORD_HEAP_LIVE_H

#include "model/profile/allocator.h"
#include "model/profile/profile.h"
#include "record/heap/blocks.h"
#include "record/heap/claim.h"
#include "record/heap/counters.h"
#include "record/heap/lastreports.h"
#include "record/heap/regions.h"
#include "record/heap/sample.h"
#include "record/heap/scope.h"
#include "record/heap/stack.h"

/* The state of the function that began a scope. */
typedef enum {
  DMD_BEGIN_UNKNOWN,
  DMD_BEGIN_RUNNING, /* it is running now, or a function that it called is */
  DMD_BEGIN_LEFT     /* it and its caller have returned */
} dmd_begin_state_t;

/* Where the function that began a scope is on a thread's stack. */
typedef struct dmd_begin_frame {
  enum {
    DMD_FRAME_UNKNOWN,
    DMD_FRAME_ON_STACK, /* on the stack, or the innermost function around it is */
    DMD_FRAME_SUSPENDED /* a coroutine that is not on the stack now */
  } where;
  uint32_t frame;    /* if on the stack: lower than the frames further out */
  bool is_coroutine; /* on the stack, and a coroutine */
} dmd_begin_frame_t;

/* Queries about the program that only the host can answer. ctx is passed to each. */
typedef struct dmd_live_host {
  void *ctx;
  /* Classifies an address outside of all blocks: returns the kind of fault that a report of it is,
   * and writes a description of at most szB bytes, which may be empty. */
  dmd_fault_kind_t (*classify)(void *ctx, uint64_t addr, char *text, size_t szB);
  bool (*same_function)(void *ctx, uint64_t ip, uint64_t other_ip);
  /* State of a scope begun with stack `begun`, in a thread that now has stack `now`. NULL:
   * unknown. */
  dmd_begin_state_t (*begin_state)(void *ctx, uint32_t begun, uint32_t now);
  /* The same question when free scopes are open (scope.h). NULL: unknown. */
  dmd_begin_frame_t (*begin_frame)(void *ctx, uint32_t begun, uint32_t now);
  /* True if a coroutine is on stack `now` that is not on stack `begun`, with which a scope began.
   * NULL: there never is one. */
  bool (*has_other_coroutine)(void *ctx, uint32_t begun, uint32_t now);
  /* True if the function that pushed a tag has code, after the push, that pops it. ip: the
   * instruction after the push. NULL: unknown. */
  bool (*pops_itself)(void *ctx, uint64_t ip);
  /* True if the function that began a scope with stack `begun` is certainly no longer on the stack
   * of its thread, which is `now`. NULL: unknown. */
  bool (*has_ended)(void *ctx, uint32_t begun, uint32_t now);
} dmd_live_host_t;

typedef struct dmd_live_config {
  dmd_mode_t mode;
  dmd_allocator_t allocator;
  bool allocator_is_auto; /* chosen by the host, not the user */
  uint64_t word_szB;      /* the program's: 4 or 8 */
  bool partial_stacks;
  bool inherit_tags;        /* a new thread carries the tag of its creator */
  uint64_t sample_below;    /* bytes; 0: off */
  uint64_t sample_interval; /* bytes; 0: off. The host then passes on only the blocks that are
                               sampled (sample.h) */
  uint64_t seed;
  uint32_t freed_blocks;        /* number of freed blocks to remember */
  dmd_slabs_t *slabs;           /* where the host takes small blocks from, see blocks.h; or NULL */
  uint32_t n_shards;            /* shards of the blocks, see blocks.h; 0: one */
  const dmd_waiting_t *waiting; /* for a host whose threads run in parallel; else NULL */
  bool no_fast_path;            /* disables the fast path, see fastpath.h */
  bool require_scope;           /* a report outside of any reporter is a fault */
  bool records_peak;            /* see peak.h; not in cumulative mode, which keeps no live blocks */
  bool records_timeline;        /* see timekeeper.h; only with the peak */
  bool records_lifetimes;       /* see ages.h; only with the peak */
  dmd_clock_t clock;            /* for the time of the peak, and the timeline */
  dmd_clock_t instructions;     /* likewise, and for lifetimes; now is NULL: not counted */
  dmd_resident_t resident;      /* for the timeline */
  bool dumps_at_peak;           /* as the next */
  uint64_t dump_every_ms, dump_every_szB, dump_above_szB; /* see dmd_watch_t; only with the peak */
  dmd_resident_t used;                                    /* likewise */
  dmd_live_host_t host;
} dmd_live_config_t;

typedef struct dmd_live {
  const dmd_env_t *env;
  dmd_live_config_t config;
  dmd_blocks_t *blocks;
  dmd_bloom_t *bloom; /* Bloom filter of the blocks, with sample_interval; else NULL */
  dmd_sampler_t sampler;
  dmd_reports_t reports;
  dmd_intern_t reporter_names, tag_names;
  dmd_scopes_t reporters, tags;
  dmd_claims_t claims;     /* of the open reporters: `data` of their scopes */
  dmd_counters_t counters; /* what reports on allocation cover */
  dmd_faults_t faults;
  dmd_memreports_t memreports; /* since the last clear */
  dmd_regions_t regions;       /* memory that the program mapped */
  dmd_lastreports_t last_time; /* what reporters measured since the last clear, and before */
  dmd_groups_t history;        /* in cumulative mode: groups of all blocks that ever existed */
  dmd_stacks_t *measured;      /* 1: a dump had a reported block of the stack */
  bool wants_stack_of_free;    /* set by the first report or reporter */
  uint32_t generation;    /* changes when threads' copies become invalid, see fastpath.h; never 0 */
  uint64_t noted_changes; /* private to fastpath.c */
} dmd_live_t;

/* The state must stay in place until it is destroyed, and the slabs must live as long. */
void dmd_live_init(dmd_live_t *live, const dmd_env_t *env, const dmd_live_config_t *config);
void dmd_live_destroy(dmd_live_t *live);

/* ---- Blocks. ---- */

/* Instructions to the caller for a new block. */
typedef struct dmd_plan {
  bool stack;     /* capture a stack */
  uint32_t flags; /* DMD_BLOCK_... flags for the block */
} dmd_plan_t;

/* The model's usable size, see allocator.h, limited to 4 GiB of slop, the most that a block's
 * record can hold. */
uint64_t dmd_live_usable(const dmd_live_t *live, uint64_t req, uint64_t align);
uint64_t dmd_live_resized(const dmd_live_t *live, uint64_t old_usable, uint64_t req);

dmd_plan_t dmd_live_plan(dmd_live_t *live, uint64_t usable);

/* Like dmd_live_plan, with a given sampler. Reads only constant parts of the state. */
dmd_plan_t dmd_live_plan_by(const dmd_live_t *live, dmd_sampler_t *sampler, uint64_t usable);

/* True if every block's plan requests a stack. */
static inline bool dmd_live_wants_all_stacks(const dmd_live_t *live) {
  return live->config.sample_below == 0 && !live->config.partial_stacks;
}

/* Adds an allocated block. It gets the tag that its thread carries, else new_block->tag. Its flags
 * are those of the plan, plus DMD_BLOCK_ANNOUNCED if it was announced. */
void dmd_live_add(dmd_live_t *live, const dmd_new_block_t *new_block);

/* The group of blocks like this one, with the live heap's ids. The block must not be
 * DMD_BLOCK_UNSAMPLED. */
dmd_group_t dmd_live_group_of(const dmd_live_t *live, const dmd_block_t *block);

/* How many blocks this one stands for: 1 unless --sample-interval is on. */
static inline double dmd_live_weight(const dmd_live_t *live, const dmd_block_t *block) {
  uint64_t interval = live->config.sample_interval;
  return interval == 0 ? 1 : dmd_sampled_weight(interval, block->req);
}

/* True if dmd_live_remove needs the stack of the free. */
static inline bool dmd_live_wants_stack_of_free(const dmd_live_t *live) {
  return __atomic_load_n(&live->wants_stack_of_free, __ATOMIC_RELAXED);
}

static inline void dmd_live_want_stack_of_free(dmd_live_t *live) {
  __atomic_store_n(&live->wants_stack_of_free, true, __ATOMIC_RELAXED);
}

/* Removes the block at addr, freed at this stack (DMD_NONE: not captured). If it fails, the shell
 * adds a fault. */
static inline dmd_remove_t dmd_live_remove(dmd_live_t *live, uint64_t addr, uint32_t stack) {
  return dmd_blocks_remove(live->blocks, addr, stack);
}

/* A live block keeps its address and gets a new size, stack and tag; its reports are dropped.
 * Counts as one free and one allocation. */
void dmd_live_resize(dmd_live_t *live, const dmd_new_block_t *now);

/* A live announced block gets a new size and keeps everything else. */
void dmd_live_resize_announced(dmd_live_t *live, uint64_t addr, uint64_t req);

/* This announced block, which starts at addr, was freed at this stack; or it moved and has a new
 * size, and keeps everything else. A moved block has a new record. */
static inline void dmd_live_remove_announced(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                                             uint32_t stack) {
  dmd_blocks_remove_announced(live->blocks, addr, block, stack);
}
dmd_block_t *dmd_live_move_announced(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                                     uint64_t to, uint64_t req);

/* Ends a realloc made by the program's allocator (blocks.h): the block that started at addr became
 * this new one, which gets the tag that its thread carries now. */
void dmd_live_end_move(dmd_live_t *live, uint64_t addr, dmd_block_t *block,
                       const dmd_new_block_t *now);

/* True if a block at addr, should there be one, was certainly not sampled; needs no lock. False:
 * not certain. */
static inline bool dmd_live_passed_over(const dmd_live_t *live, uint64_t addr) {
  return live->bloom != NULL && !dmd_bloom_may_have(live->bloom, addr);
}

/* The block that starts at addr, or NULL. */
static inline const dmd_block_t *dmd_live_find(const dmd_live_t *live, uint64_t addr) {
  return dmd_blocks_find(live->blocks, addr);
}

/* Like dmd_live_find, for free and realloc: ignores chunks of memory pools. */
static inline const dmd_block_t *dmd_live_find_freeable(const dmd_live_t *live, uint64_t addr) {
  return dmd_blocks_find_freeable(live->blocks, addr);
}

/* Usable bytes of the block at addr; 0 if none. */
static inline uint64_t dmd_live_usable_at(const dmd_live_t *live, uint64_t addr) {
  const dmd_block_t *block = dmd_live_find(live, addr);
  return block == NULL ? 0 : dmd_block_usable(block);
}

static inline dmd_totals_t dmd_live_totals(const dmd_live_t *live) {
  return dmd_blocks_totals(live->blocks);
}

/* ---- Reports. ---- */

/* True if reports are kept, which is in dark-matter mode only. In other modes they only return
 * sizes. */
static inline bool dmd_live_keeps_reports(const dmd_live_t *live) {
  return live->config.mode == DMD_MODE_DARK_MATTER;
}

/* The block at addr was reported at this stack. flags: DMD_REPORT_... reporter: a name's id, or
 * DMD_NONE for the thread's innermost reporter scope. Returns the usable bytes. If no block starts
 * at addr: counts a fault (none for address 0) and returns 0. */
uint64_t dmd_live_report(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack,
                         uint32_t flags, uint32_t reporter);

/* A report of the block at addr stated this length: counts a fault unless it equals the block's
 * usable or requested size. */
void dmd_live_check_length(dmd_live_t *live, uint64_t addr, uint64_t length, uint32_t stack,
                           uint32_t reporter);

/* Withdraws all reports of the block at addr; returns its usable bytes. If no block starts at addr:
 * counts a fault (none for address 0) and returns 0. stack is used only then. */
uint64_t dmd_live_unreport(dmd_live_t *live, uint32_t thread, uint64_t addr, uint32_t stack);

/* The thread called the allocator's own size function, which returned this many bytes. */
void dmd_live_note_asked(dmd_live_t *live, uint32_t thread, uint64_t usable);

/* The thread reported szB bytes of mapped memory, in [addr, end). Returns how many of them the
 * program mapped, as far as that is known. */
uint64_t dmd_live_report_mapped(dmd_live_t *live, uint32_t thread, uint64_t addr, uint64_t end,
                                uint64_t szB, uint32_t stack);

/* The thread publishes a value; false if it is refused, see memreports.h. */
bool dmd_live_publish(dmd_live_t *live, uint32_t thread, const dmd_memreport_t *report);

/* Clears published values and all reports except those made on allocation. Cost: one walk over the
 * blocks. */
void dmd_live_clear_reports(dmd_live_t *live);

/* ---- Scopes. ---- */

/* The claim of the thread's innermost reporter, or of the one `outer` levels further out; DMD_NONE
 * if none. */
static inline uint32_t dmd_live_claim(const dmd_live_t *live, uint32_t thread, uint32_t outer) {
  const dmd_scope_t *scope = dmd_scopes_pushed(&live->reporters, thread, outer);
  return scope == NULL ? DMD_NONE : scope->data;
}

/* Open a scope and return the thread's new depth. Names are copied. place: where in the program. */
uint32_t dmd_live_push_tag(dmd_live_t *live, uint32_t thread, const char *name, dmd_place_t place);
uint32_t dmd_live_begin_reporter(dmd_live_t *live, uint32_t thread, const char *path,
                                 bool exclusive, dmd_place_t place);

/* Reports in the thread's innermost reporter, and in those that begin in it, do not count: the
 * program measures for another purpose than a dump. Reports on allocation count. */
void dmd_live_ignore_reporter(dmd_live_t *live, uint32_t thread);

/* True if reports of this thread do not count. */
bool dmd_live_is_ignored(const dmd_live_t *live, uint32_t thread);

/* A number by which other threads can join the thread's innermost reporter; 0 if none. */
uint64_t dmd_live_reporter_handle(const dmd_live_t *live, uint32_t thread);

/* From now on the thread measures for the reporter with this handle, which belongs to another
 * thread. Returns false if that is not open; the thread then measures for no reporter. Until the
 * thread leaves, its reports belong to that reporter and its claim; reports made after the reporter
 * has ended are in no claim. Leaving returns false if the thread's innermost reporter is not one
 * that it joined. */
bool dmd_live_join_reporter(dmd_live_t *live, uint32_t thread, uint64_t handle, dmd_place_t place);

/* A signal handler begins in the thread, which had this stack pointer, or ends. Its reports and
 * reporters are independent of the reporters that it interrupted. A handler that ends by a jump
 * never calls the second; this is noticed when a reporter begins or ends. */
void dmd_live_begin_handler(dmd_live_t *live, uint32_t thread, uint64_t sp);
void dmd_live_end_handler(dmd_live_t *live, uint32_t thread);

/* For a host that does not observe signals but finds from a stack that the thread is in a handler,
 * which interrupted it at this stack pointer, or (sp 0) in none. Infers which handlers began and
 * ended since the last call. */
void dmd_live_see_handler(dmd_live_t *live, uint32_t thread, uint64_t sp);

/* True if the thread is known to be in a signal handler. */
bool dmd_live_is_in_handler(const dmd_live_t *live, uint32_t thread);

/* Identifies the scope that ends: by the place's guard; else, if depth is not 0, by the depth that
 * its begin returned; else it is the innermost one that is not free. Scopes within it were left
 * without an end, and are faults unless they or it are free (scope.h). place.stack: needed if a
 * scope is free. */
typedef struct dmd_scope_end {
  dmd_place_t place;
  uint64_t depth;
} dmd_scope_end_t;

/* Return false if the scope was not open: the shell then adds a fault. A wrong claim is a fault at
 * this stack. */
bool dmd_live_pop_tag(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end);
bool dmd_live_end_reporter(dmd_live_t *live, uint32_t thread, uint64_t claimed, uint32_t stack,
                           dmd_scope_end_t end);

/* Like dmd_live_end_reporter, for a reporter that an exception ended before it could claim. */
bool dmd_live_abandon_reporter(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end);
bool dmd_live_leave_reporter(dmd_live_t *live, uint32_t thread, dmd_scope_end_t end);

/* Called when the thread has measured everything, at this stack: reporters that it still has open
 * are faults, and so are tags left open, once each. */
void dmd_live_check_open(dmd_live_t *live, uint32_t thread, uint32_t stack);

/* The stack pointer above which the thread's current tag may have been left open; UINT64_MAX: it is
 * not one that the function that pushed it must also pop. */
uint64_t dmd_live_tag_limit(const dmd_live_t *live, uint32_t thread);

/* Ends the thread's tags whose functions have left them open, as this stack shows: functions that
 * pop what they push have returned. They are faults. Other tags stay: a function may push a tag for
 * its caller. */
void dmd_live_drop_left_tags(dmd_live_t *live, uint32_t thread, uint32_t stack);

/* The program is about to end: reporters still open in any thread are faults. */
void dmd_live_end_all(dmd_live_t *live);

/* Sets a tag outside the nesting: it replaces the one set since the last push. Clearing without
 * such a tag changes nothing. */
uint32_t dmd_live_set_tag(dmd_live_t *live, uint32_t thread, const char *name);
void dmd_live_clear_tag(dmd_live_t *live, uint32_t thread);

/* Constant time. All zero for an unknown tag name (including names that came after DMD_MAX_TAGS
 * others). */
dmd_tag_sum_t dmd_live_tag_sum(dmd_live_t *live, const char *name);

/* Returns the bytes of a tag; the thread's open reporter may then claim them without reporting
 * their blocks. */
uint64_t dmd_live_tag_bytes(dmd_live_t *live, uint32_t thread, const char *name);

/* A thread is about to begin; its number may have been an earlier thread's. parent: 0 for the
 * first. With inherit_tags it carries its parent's current tag below its own ones: it cannot remove
 * it, and its children inherit it in turn. Reporters are not inherited. */
void dmd_live_start_thread(dmd_live_t *live, uint32_t parent, uint32_t thread);
void dmd_live_end_thread(dmd_live_t *live, uint32_t thread);

/* This process is the child of a fork made by this thread. Other threads do not exist here: their
 * scopes are dropped without faults. */
void dmd_live_forked(dmd_live_t *live, uint32_t thread);

/* Counts a fault together with the thread's current reporter. Returns true if it is the first of
 * its kind at this place. */
bool dmd_live_fault(dmd_live_t *live, dmd_fault_kind_t kind, uint32_t thread, uint32_t stack);

#endif
